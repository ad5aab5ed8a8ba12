import { expect, test } from '@jest/globals';
import { dataOf, field } from '../../support/graph/results.ts';
import { type StubbedGraph, startLongChainGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain, type LongChain, transactionHashAt } from '../../support/upstream/long-chain.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';

/** Pages of the transactions of ranges of blocks, each with two; every tenth block has one of ALICE to BOB. The head is known. */
const [ALICE, BOB, CAROL] = [addressOf(1), addressOf(2), addressOf(3)];
let chain: LongChain;
let graph: StubbedGraph;

async function startGraph(changes: Partial<LongChain> = {}, options: Parameters<typeof startLongChainGraph>[1] = {}) {
  chain = createLongChain(1_000, {
    transactionCount: () => 2,
    transactionFields: (height, i) => (i === 1 && height % 10 === 0 ? { from: ALICE, to: BOB } : { from: CAROL, to: CAROL }),
    ...changes,
  });
  graph = await startLongChainGraph(chain, options);
}

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

/** Executes a page without errors, and counts its upstream calls. */
async function readPage(args: string, fields = `nodes { hash } ${PAGE_INFO}`) {
  const data = await dataOf(graph.execute(`{ transactionsConnection(${args}) { ${fields} } }`));
  const { http, calls, methods } = graph.node.takeCounts();
  const page = data.transactionsConnection;
  return { page, hashes: page.nodes?.map(field('hash')) as string[], counts: [http, calls], methods };
}

const hashesIn = (from: number, to: number) =>
  Array.from({ length: 2 * (to - from + 1) }, (_, i) => transactionHashAt(from + Math.floor(i / 2), i % 2));
const aliceIn = (...heights: number[]) => heights.map((height) => transactionHashAt(height, 1));
const FROM_ALICE = `filter: { from: "${ALICE}" }`;

/** Reads all pages of a list in one direction. */
async function readAll(args: string, size: number, isBackward: boolean): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  for (let hasMore = true; hasMore; ) {
    const position: string = cursor ? `, ${isBackward ? 'before' : 'after'}: "${cursor}"` : '';
    const { page, hashes } = await readPage(`${args}, ${isBackward ? 'last' : 'first'}: ${size}${position}`);
    pages[isBackward ? 'unshift' : 'push'](hashes);
    hasMore = isBackward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
    cursor = isBackward ? page.pageInfo.startCursor : page.pageInfo.endCursor;
  }
  return pages;
}

test('hashes of a page cost one block each, without full transactions', async () => {
  await startGraph();
  const { hashes, counts, page } = await readPage('from: 100, to: 200, first: 2');
  expect(hashes).toEqual(hashesIn(100, 100));
  expect([counts, graph.requested]).toEqual([[1, 1], [['eth_getBlockByNumber', '0x64', false]]]);
  expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
});

test('a page of 10 with receipts reads blocks in two requests, and receipts with them', async () => {
  await startGraph();
  const { page, counts, methods } = await readPage('from: 100, first: 10', 'nodes { hash nonce status block { timestamp } }');
  expect(page.nodes).toHaveLength(10);
  expect(page.nodes[9]).toEqual({ hash: transactionHashAt(104, 1), nonce: '0x1', status: '0x1', block: { timestamp: '0x4e0' } });
  expect([counts, methods]).toEqual([[2, 10], { eth_getBlockByNumber: 5, eth_getBlockReceipts: 5 }]);
});

test('a filtered page with receipts reads the receipts of its transactions alone', async () => {
  await startGraph();
  const fields = 'nodes { hash status block { number timestamp } }';
  const { page, methods } = await readPage(`from: 100, to: 119, first: 5, ${FROM_ALICE}`, fields);
  expect(page.nodes).toMatchObject([
    { hash: transactionHashAt(100, 1), status: '0x1', block: { number: '0x64' } },
    { hash: transactionHashAt(110, 1), status: '0x1', block: { number: '0x6e' } },
  ]);
  expect(methods).toEqual({ eth_getBlockByNumber: 20, eth_getTransactionReceipt: 2 });
});

test.each([
  ['all transactions', '', 7, hashesIn(500, 530)],
  ['transactions of a sender', `, ${FROM_ALICE}`, 2, aliceIn(500, 510, 520, 530)],
  ['transactions of a recipient', `, filter: { to: "${BOB}" }`, 3, aliceIn(500, 510, 520, 530)],
])('pages forwards and backwards list %s of a range once, in order', async (_case, filter, size, expected) => {
  await startGraph();
  for (const isBackward of [false, true]) {
    const pages = await readAll(`from: 500, to: 530${filter}`, size, isBackward);
    expect(pages.flat()).toEqual(expected);
    expect(pages.every((page) => page.length <= size)).toBe(true);
  }
});

test('pages that cross the limit of blocks are short or empty, and continue at their end without a gap', async () => {
  await startGraph(
    { transactionFields: (height, i) => (i === 0 && height % 25 === 7 ? { from: ALICE } : {}) },
    { maxBlocks: 10 },
  );
  const expected = [7, 32, 57, 82].map((height) => transactionHashAt(height, 0));
  for (const isBackward of [false, true]) {
    const pages = await readAll(`from: 0, to: 99, ${FROM_ALICE}`, 3, isBackward);
    expect(pages.flat()).toEqual(expected);
    expect(pages).toHaveLength(10);
  }
});

test('a page reads no more blocks than half of MAX_COST allows', async () => {
  await startGraph({}, { maxCost: 250 });
  const { page, counts, hashes } = await readPage(`from: 11, first: 10, ${FROM_ALICE}`);
  // Six full blocks cost 120.
  expect([hashes, counts[1]]).toEqual([[], 6]);
  expect(page.pageInfo).toMatchObject({ hasNextPage: true });
  const next = await readPage(`from: 11, first: 10, ${FROM_ALICE}, after: "${page.pageInfo.endCursor}"`);
  expect(next.hashes).toEqual(aliceIn(20));
});

test('the end of an open range is the position of the head, from which a client continues', async () => {
  await startGraph();
  const { page, hashes } = await readPage(`from: 991, ${FROM_ALICE}`);
  expect(hashes).toEqual(aliceIn(1_000));
  expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
  const after = `from: 991, ${FROM_ALICE}, after: "${page.pageInfo.endCursor}"`;
  expect((await readPage(after)).page).toEqual({
    nodes: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: page.pageInfo.endCursor },
  });
  chain.head = 1_010;
  const next = await readPage(after);
  expect([next.hashes, next.counts[1]]).toEqual([aliceIn(1_010), 10]);
});

test('a page inside a block continues behind its last transaction, and reads that block once', async () => {
  await startGraph();
  const { page } = await readPage('from: 100, to: 101, first: 1', `edges { cursor node { hash } } ${PAGE_INFO}`);
  expect(page.edges).toEqual([{ cursor: page.pageInfo.endCursor, node: { hash: transactionHashAt(100, 0) } }]);
  const next = await readPage(`from: 100, to: 101, first: 1, after: "${page.pageInfo.endCursor}"`);
  expect([next.hashes, next.counts]).toEqual([[transactionHashAt(100, 1)], [1, 1]]);
  const before = await readPage(`last: 1, before: "${next.page.pageInfo.endCursor}"`);
  expect([before.hashes, before.counts]).toEqual([[transactionHashAt(100, 0)], [1, 1]]);
});

test.each([
  ['inside a block', 'from: 100, first: 1', 'after'],
  ['at the end of a scan', `from: 101, to: 105, ${FROM_ALICE}`, 'after'],
  ['before a block', 'to: 100, last: 2', 'before'],
])('a cursor %s that a reorg has removed fails with CURSOR_EXPIRED', async (_case, args, direction) => {
  await startGraph();
  const { page } = await readPage(args);
  const cursor = direction === 'after' ? page.pageInfo.endCursor : page.pageInfo.startCursor;
  chain.branchOf = (height) => (height >= 100 ? 1 : 0);
  const { data, errors } = await graph.execute(
    `{ transactionsConnection(${direction}: "${cursor}", last: 1) { nodes { hash } } }`,
  );
  expect(data).toEqual({ transactionsConnection: null });
  expect(errors).toMatchObject([{ path: ['transactionsConnection'], extensions: { code: 'CURSOR_EXPIRED' } }]);
});

test('a scan ends when its cursor is rejected', async () => {
  await startGraph({}, { followedBlocks: 0 });
  const { page } = await readPage(`from: 101, to: 105, ${FROM_ALICE}`);
  chain.branchOf = (height) => (height >= 100 ? 1 : 0);
  const before = graph.requested.length;
  const { errors } = await graph.execute(
    `{ transactionsConnection(from: 0, to: 900, filter: { from: "${addressOf(9)}" }, first: 1, after: "${page.pageInfo.endCursor}") { nodes { hash } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }]);
  // A scan that continues would send one request in the time of each of these.
  for (let height = 1; height <= 5; height++) await graph.execute(`{ block(number: ${height}) { hash } }`);
  const heights = graph.requested.slice(before).map(([, ref]) => Number(ref));
  expect(heights.filter((height) => height > 105)).toEqual([106, 107, 108, 109]);
});

test('a reorg between two requests is detected by the parent hash where the head is not followed', async () => {
  await startGraph({}, { followedBlocks: 0 });
  const blockOfRequest = () => graph.requested.filter(([method]) => method === 'eth_getBlockByNumber').length;
  chain.branchOf = () => (blockOfRequest() > 2 ? 1 : 0);
  const { errors } = await graph.execute('{ transactionsConnection(from: 100, first: 9) { nodes { hash } } }');
  expect(errors).toMatchObject([{ path: ['transactionsConnection'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a block that the node lacks fails with BLOCK_NOT_AVAILABLE', async () => {
  await startGraph({ isMissing: (height) => height === 102 });
  const { errors } = await graph.execute('{ transactionsConnection(from: 100, first: 9) { nodes { hash } } }');
  expect(errors).toMatchObject([{ path: ['transactionsConnection'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test.each(['from: 9, to: 3', 'first: 501', 'last: -1', 'after: "Ym9n"', `after: "${Buffer.alloc(40).toString('base64url')}"`])(
  'transactionsConnection(%s) fails with BAD_USER_INPUT without an upstream call',
  async (args) => {
    await startGraph();
    const { errors } = await graph.execute(`{ transactionsConnection(${args.replaceAll("'", '"')}) { nodes { hash } } }`);
    expect(errors).toMatchObject([{ path: ['transactionsConnection'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(graph.node.takeCounts().calls).toBe(0);
  },
);

test('a page of size 0 reads nothing', async () => {
  await startGraph();
  const { page, counts } = await readPage('first: 0');
  expect(page).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true, endCursor: null } });
  expect(counts).toEqual([0, 0]);
});

test('a page between two cursors ends at the second one', async () => {
  await startGraph();
  const cursorOf = async (height: number) => (await readPage(`from: ${height}, first: 1`)).page.pageInfo.startCursor;
  const between = `after: "${await cursorOf(10)}", before: "${await cursorOf(12)}"`;
  const forwards = await readPage(`first: 50, ${between}`);
  expect(forwards.hashes).toHaveLength(3);
  expect(forwards.page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const backwards = await readPage(`last: 50, ${between}`);
  expect(backwards.hashes).toHaveLength(3);
  expect(backwards.page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
});

test.each([
  ['the parent of a block', 'block(number: 6) { parent { transactions { value status } } }'],
  ['a page of all transactions', 'transactionsConnection(from: 1, to: 5, first: 50) { nodes { value status } }'],
])('a short search without a match does not release the blocks that %s reads', async (_case, fields) => {
  await startGraph();
  await dataOf(
    graph.execute(
      `{ ${fields} creations: transactionsConnection(from: 1, to: 5, filter: { contractCreation: true }) { nodes { hash } } }`,
    ),
  );
  const requested = graph.requested.map((call) => JSON.stringify(call));
  expect(new Set(requested).size).toBe(requested.length);
  expect(graph.requested.filter(([method]) => method === 'eth_getTransactionReceipt')).toEqual([]);
});
