import { beforeEach, expect, test } from '@jest/globals';
import { dataOf, field } from '../../support/graph/results.ts';
import { type StubbedGraph, startLongChainGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain, type LongChain, transactionHashAt } from '../../support/upstream/long-chain.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';

/** Pages of the transactions of one block, which has ten: five from each of two senders, one creation, five with input. */
const [ALICE, BOB, CAROL] = [addressOf(1), addressOf(2), addressOf(3)];
let chain: LongChain;
let graph: StubbedGraph;

beforeEach(async () => {
  chain = createLongChain(1_000, {
    transactionCount: () => 10,
    transactionFields: (_height, i) => ({
      from: i % 2 === 0 ? ALICE : BOB,
      to: i === 9 ? null : i < 5 ? CAROL : ALICE,
      input: i < 5 ? '0x' : '0xab',
    }),
  });
  graph = await startLongChainGraph(chain);
});

const PAGE_INFO = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

/** Executes a page of block 5 without errors. */
async function readPage(args: string, fields = `nodes { index } ${PAGE_INFO}`) {
  const data = await dataOf(graph.execute(`{ block(number: 5) { transactionsConnection${args && `(${args})`} { ${fields} } } }`));
  const page = data.block.transactionsConnection;
  return { page, indexes: page.nodes?.map(field('index')).map(Number) };
}

test('hashes of a page cost 1/1 without full transactions, whole transactions 1/1, and receipts 1/2', async () => {
  const { page } = await readPage('first: 3', `nodes { hash index } edges { cursor node { hash } } ${PAGE_INFO}`);
  expect(page.nodes.map(field('hash'))).toEqual([0, 1, 2].map((i) => transactionHashAt(5, i)));
  expect(page.totalCount).toBe(10);
  expect(graph.requested).toEqual([['eth_getBlockByNumber', '0x5', false]]);
  await readPage('first: 3', 'nodes { nonce }');
  expect(graph.requested.slice(1)).toEqual([['eth_getBlockByNumber', '0x5', true]]);
  await readPage('first: 3', 'edges { node { nonce status } }');
  expect(graph.requested.slice(2).map(([method]) => method)).toEqual(['eth_getBlockReceipts', 'eth_getBlockByNumber']);
});

test('a page shares the calls of the transactions beside it, and several pages share theirs', async () => {
  const { data } = await graph.execute(`{ block(number: 5) {
    transactions { value } first: transactionsConnection(first: 1) { nodes { value status } }
    last: transactionsConnection(last: 1, filter: { from: "${BOB}" }) { nodes { hash } }
  } }`);
  expect(data.block.last.nodes).toEqual([{ hash: transactionHashAt(5, 9) }]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 2 });
});

test.each([
  ['a sender', `from: "${ALICE}"`, [0, 2, 4, 6, 8]],
  ['a recipient', `to: "${CAROL}"`, [0, 1, 2, 3, 4]],
  ['a participant', `participant: "${ALICE}"`, [0, 2, 4, 5, 6, 7, 8]],
  ['creations', 'contractCreation: true', [9]],
  ['no creations', 'contractCreation: false', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['input data', 'withInput: true', [5, 6, 7, 8, 9]],
  ['no input data', 'withInput: false', [0, 1, 2, 3, 4]],
  ['a sender and input data', `from: "${ALICE}", withInput: true`, [6, 8]],
  ['nulls', 'from: null, contractCreation: null', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['an unknown sender', `from: "${CAROL}"`, []],
])('transactions are filtered by %s', async (_case, filter, expected) => {
  const { page, indexes } = await readPage(`filter: { ${filter} }`);
  expect(indexes).toEqual(expected);
  expect(page).toMatchObject({ totalCount: expected.length, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
});

test('a filter in a variable requests full transactions, and a variable without a value does not', async () => {
  const query = `query ($f: TransactionFilter) { block(number: 5) { transactionsConnection(filter: $f) { totalCount } } }`;
  const counts = [];
  for (const f of [{ from: ALICE }, null]) {
    const { data } = await graph.execute(query, { f });
    counts.push(data.block.transactionsConnection.totalCount);
  }
  expect([graph.requested.map(([, , full]) => full), counts]).toEqual([
    [true, false],
    [5, 10],
  ]);
});

test.each([
  ['', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [`, filter: { from: "${BOB}" }`, [1, 3, 5, 7, 9]],
])('pages of 2 forwards and backwards list each matching transaction once, in order: %j', async (filter, expected) => {
  for (const isBackward of [false, true]) {
    const lists: number[][] = [];
    let cursor: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const position: string = cursor ? `, ${isBackward ? 'before' : 'after'}: "${cursor}"` : '';
      const { page, indexes } = await readPage(`${isBackward ? 'last' : 'first'}: 2${position}${filter}`);
      expect(page.totalCount).toBe(expected.length);
      lists[isBackward ? 'unshift' : 'push'](indexes);
      hasMore = isBackward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
      cursor = isBackward ? page.pageInfo.startCursor : page.pageInfo.endCursor;
    }
    expect(lists).toHaveLength(Math.ceil(expected.length / 2));
    expect(lists.flat()).toEqual(expected);
  }
});

test('a cursor of a replaced block is CURSOR_EXPIRED, and a cursor of another block BAD_USER_INPUT', async () => {
  const { page } = await readPage('first: 2');
  const query = (height: number) =>
    `{ block(number: ${height}) { transactionsConnection(after: "${page.pageInfo.endCursor}") { totalCount } } }`;
  expect((await graph.execute(query(6))).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  chain.branchOf = () => 1;
  expect(await graph.execute(query(5))).toMatchObject({
    data: { block: { transactionsConnection: null } },
    errors: [{ path: ['block', 'transactionsConnection'], extensions: { code: 'CURSOR_EXPIRED' } }],
  });
});

test('a page of more than 500 transactions fails with BAD_USER_INPUT', async () => {
  const { errors } = await graph.execute('{ block(number: 5) { transactionsConnection(first: 501) { totalCount } } }');
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', limit: 500, actual: 501 } }]);
});

test.each([
  ['before', 'first', 'after', 'endCursor'],
  ['after', 'last', 'before', 'startCursor'],
])(
  'a page of a range that ends at `%s` inside a block is continued at the next transaction',
  async (bound, size, next, cursor) => {
    const read = async (args: string) => {
      const fields = 'nodes { hash } edges { cursor } pageInfo { startCursor endCursor }';
      return (await dataOf(graph.execute(`{ transactionsConnection(from: 5, to: 6, ${args}) { ${fields} } }`)))
        .transactionsConnection;
    };
    const all = await read('first: 20');
    const page = await read(`${size}: 20, ${bound}: "${all.edges[13].cursor}"`);
    const rest = await read(`${size}: 20, ${next}: "${page.pageInfo[cursor]}"`);
    const pages = size === 'first' ? [page, rest] : [rest, page];
    expect(pages.flatMap(({ nodes }) => nodes)).toEqual(all.nodes);
  },
);

test.each([
  ['first', 'after', 'before', 'endCursor', 'hasNextPage'],
  ['last', 'before', 'after', 'startCursor', 'hasPreviousPage'],
])('pages with `%s` between two cursors end at the second one', async (size, near, far, cursor, more) => {
  const { edges } = (await readPage('first: 10', 'edges { cursor }')).page;
  const [start, end] = size === 'first' ? [edges[1], edges[5]] : [edges[5], edges[1]];
  const one = await readPage(`${size}: 2, ${near}: "${start.cursor}", ${far}: "${end.cursor}"`);
  const two = await readPage(`${size}: 2, ${near}: "${one.page.pageInfo[cursor]}", ${far}: "${end.cursor}"`);
  expect([one.page.pageInfo[more], two.page.pageInfo[more]]).toEqual([true, false]);
  expect([...one.indexes, ...two.indexes].sort()).toEqual([2, 3, 4]);
});
