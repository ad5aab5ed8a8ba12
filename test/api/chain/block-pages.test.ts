import { expect, test } from '@jest/globals';
import { dataOf, field } from '../../support/graph/results.ts';
import { type StubbedGraph, startLongChainGraph } from '../../support/graph/stubbed-graph.ts';
import { blockHashOf, createLongChain, type LongChain } from '../../support/upstream/long-chain.ts';

/** Pages of blocks of a chain whose head is known, with the cache off unless a test turns it on. A title gives requests/calls. */
let chain: LongChain;
let graph: StubbedGraph;

async function startGraph(changes: Partial<LongChain> = {}, options: Parameters<typeof startLongChainGraph>[1] = {}) {
  chain = createLongChain(10_000, changes);
  graph = await startLongChainGraph(chain, options);
}

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const FULL = 'number transactions { hash nonce status }';

const numbersOf = (blocks: { number: string }[]) => blocks.map(({ number }) => Number(number));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Executes a page without errors, and counts its upstream calls. */
async function readPage(args: string, fields = `nodes { number timestamp } ${PAGE_INFO}`) {
  const data = await dataOf(graph.execute(`{ blocksConnection${args && `(${args})`} { ${fields} } }`));
  const { http, calls } = graph.node.takeCounts();
  return { page: data.blocksConnection, numbers: numbersOf(data.blocksConnection.nodes ?? []), counts: [http, calls] };
}

const cursorOf = async (height: number): Promise<string> =>
  (await readPage(`from: ${height}, first: 1`, PAGE_INFO)).page.pageInfo.startCursor;

test('a page of N blocks costs 1/N, with its cursors, forwards and backwards', async () => {
  await startGraph();
  const first = await readPage('from: 100, to: 200, first: 10');
  expect(first).toMatchObject({ numbers: range(100, 109), counts: [1, 10] });
  expect(first.page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  const last = await readPage('from: 100, to: 200, last: 10');
  expect(last).toMatchObject({ numbers: range(191, 200), counts: [1, 10] });
  expect(last.page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
});

test.each([
  ['from: 100, to: 200', 101],
  ['', 10_001],
  ['from: 9990, to: 20000', 11],
  ['from: 10001', 0],
])('the number of blocks of the range costs no call: blocksConnection(%s)', async (args, totalCount) => {
  await startGraph();
  expect(await readPage(args, 'totalCount')).toMatchObject({ page: { totalCount }, counts: [0, 0] });
});

test('nodes and edges with cursors cost one block each', async () => {
  await startGraph();
  const { page, counts } = await readPage(
    'from: 5, first: 4',
    'nodes { number timestamp } edges { cursor node { hash gasUsed } }',
  );
  expect(counts).toEqual([1, 4]);
  expect(page.edges.map(field('node')).map(field('hash'))).toEqual(range(5, 8).map((height) => blockHashOf(chain, height)));
  expect(new Set(page.edges.map(field('cursor'))).size).toBe(4);
});

test('the next page costs 1/N: its first block confirms the cursor', async () => {
  await startGraph();
  const { page } = await readPage('from: 5, first: 4');
  const next = await readPage(`from: 5, first: 4, after: "${page.pageInfo.endCursor}"`);
  expect(next).toMatchObject({ numbers: range(9, 12), counts: [1, 4] });
  expect(next.page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
});

test('the previous page costs 1/N + 1 for the block of the cursor, and 1/N if the server has read it', async () => {
  await startGraph();
  const cursor = await cursorOf(50);
  expect(await readPage(`last: 4, before: "${cursor}"`)).toMatchObject({ numbers: range(46, 49), counts: [1, 5] });
  await startGraph({}, { isCached: true });
  const { page } = await readPage('from: 20, to: 60, last: 4');
  const previous = await readPage(`from: 20, to: 60, last: 4, before: "${page.pageInfo.startCursor}"`);
  expect(previous).toMatchObject({ numbers: range(53, 56), counts: [1, 4] });
});

test('pages of 7 forwards and backwards list each block of a range once, in order', async () => {
  await startGraph();
  for (const isBackward of [false, true]) {
    const numbers: number[][] = [];
    let cursor: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const position: string = cursor ? `, ${isBackward ? 'before' : 'after'}: "${cursor}"` : '';
      const { page, numbers: own } = await readPage(`from: 30, to: 60, ${isBackward ? 'last' : 'first'}: 7${position}`);
      numbers[isBackward ? 'unshift' : 'push'](own);
      hasMore = isBackward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
      cursor = isBackward ? page.pageInfo.startCursor : page.pageInfo.endCursor;
    }
    expect(numbers).toHaveLength(5);
    expect(numbers.flat()).toEqual(range(30, 60));
  }
});

test('known headers cost 0/0, with cursors', async () => {
  await startGraph({}, { followedBlocks: 60 });
  const { numbers, page, counts } = await readPage('last: 20', `nodes { number hash timestamp } edges { cursor } ${PAGE_INFO}`);
  expect(numbers).toEqual(range(9_981, 10_000));
  expect(counts).toEqual([0, 0]);
  const previous = await readPage(`last: 20, before: "${page.pageInfo.startCursor}"`, 'nodes { number gasUsed }');
  expect(previous).toMatchObject({ numbers: range(9_961, 9_980), counts: [0, 0] });
});

test('heights alone cost 0/0, and their end cursor 1/1', async () => {
  await startGraph();
  expect(await readPage('from: 7, first: 3', 'nodes { number } edges { node { number } }')).toMatchObject({
    numbers: [7, 8, 9],
    counts: [0, 0],
  });
  expect((await readPage('from: 7, first: 3', 'nodes { number } pageInfo { hasNextPage endCursor }')).counts).toEqual([1, 1]);
});

test('open ends are genesis and the head', async () => {
  await startGraph();
  const { numbers, page } = await readPage('', 'nodes { number } pageInfo { hasNextPage hasPreviousPage }');
  expect(numbers).toEqual(range(0, 49));
  expect(page.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
  expect((await readPage('from: 9990, first: 100', 'nodes { number }')).numbers).toEqual(range(9_990, 10_000));
  expect((await readPage('to: 99999, last: 2', 'nodes { number }')).numbers).toEqual([9_999, 10_000]);
  expect((await readPage('from: 10001', `nodes { number } ${PAGE_INFO}`)).page).toEqual({
    nodes: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
  });
});

test('a page after the head is empty, and continues when the head moves', async () => {
  await startGraph();
  const cursor = await cursorOf(10_000);
  expect((await readPage(`after: "${cursor}"`)).page).toEqual({
    nodes: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
  });
  chain.head += 2;
  expect((await readPage(`after: "${cursor}"`)).numbers).toEqual([10_001, 10_002]);
});

test('a page of several windows costs a request for each, with its last block and cursors in the first', async () => {
  await startGraph({ transactionCount: () => 2 });
  const { page, numbers, counts } = await readPage('from: 1, first: 50', `nodes { ${FULL} } ${PAGE_INFO}`);
  expect(numbers).toEqual(range(1, 50));
  expect(page.nodes[49].transactions).toMatchObject([{ nonce: '0x1', status: '0x1' }, { nonce: '0x1' }]);
  expect(counts).toEqual([3, 100]);
  const next = await readPage(`first: 50, after: "${page.pageInfo.endCursor}"`, `edges { cursor node { ${FULL} } } ${PAGE_INFO}`);
  expect(next.page.edges.map(field('node')).map(field('number')).map(Number)).toEqual(range(51, 100));
  expect(next.counts).toEqual([3, 100]);
});

test.each([
  ['the next page', (cursor: string) => `first: 5, after: "${cursor}"`],
  ['the next heights', (cursor: string) => `first: 5, after: "${cursor}"`, 'nodes { number }'],
  ['an empty page', (cursor: string) => `to: 50, first: 5, after: "${cursor}"`],
  ['the previous page', (cursor: string) => `last: 5, before: "${cursor}"`],
])('%s of a removed block fails with CURSOR_EXPIRED', async (_case, args, fields = 'nodes { number hash }') => {
  await startGraph();
  const cursor = await cursorOf(50);
  chain.branchOf = (height) => (height >= 50 ? 1 : 0);
  graph.node.takeCounts();
  const { data, errors } = await graph.execute(`{ blocksConnection(${args(cursor)}) { ${fields} } }`);
  expect(data).toEqual({ blocksConnection: null });
  expect(errors).toMatchObject([{ path: ['blocksConnection'], extensions: { code: 'CURSOR_EXPIRED', retryable: false } }]);
  expect(graph.node.takeCounts().http).toBe(1);
});

test('a cursor of a block below a reorg stays valid', async () => {
  await startGraph();
  const cursor = await cursorOf(49);
  chain.branchOf = (height) => (height >= 50 ? 1 : 0);
  expect((await readPage(`first: 2, after: "${cursor}"`)).numbers).toEqual([50, 51]);
});

test('a cursor above the head fails with BLOCK_NOT_AVAILABLE', async () => {
  await startGraph();
  const cursor = await cursorOf(10_000);
  chain.head = 9_999;
  const { errors } = await graph.execute(`{ blocksConnection(after: "${cursor}") { nodes { number } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
});

test.each([
  ['a reversed range', 'from: 9, to: 3'],
  ['a page above MAX_BLOCKS', 'first: 101'],
  ['a negative page', 'last: -1'],
  ['text that is no cursor', 'after: "Ym9n"'],
  ['a cursor of another list', `before: "${Buffer.alloc(44).toString('base64url')}"`],
])('%s fails with BAD_USER_INPUT on the field, without an upstream call', async (_case, args) => {
  await startGraph();
  const { data, errors } = await graph.execute(`{ blocksConnection(${args}) { nodes { hash } } }`);
  expect(data).toEqual({ blocksConnection: null });
  expect(errors).toMatchObject([{ path: ['blocksConnection'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('a page between two cursors ends at the second one', async () => {
  await startGraph();
  const [after, before] = [await cursorOf(10), await cursorOf(14)];
  const forwards = await readPage(`first: 5, after: "${after}", before: "${before}"`);
  expect(forwards.numbers).toEqual(range(11, 13));
  expect(forwards.page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const backwards = await readPage(`last: 5, after: "${after}", before: "${before}"`);
  expect(backwards.numbers).toEqual(range(11, 13));
  expect(backwards.page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
});

test.each(['first: 5, after', 'last: 5, before'])(
  '%s a block that the node lacks fails with BLOCK_NOT_AVAILABLE',
  async (args) => {
    await startGraph();
    const cursor = await cursorOf(14);
    await startGraph({ isMissing: (height) => height === 14 || height === 15 });
    const { errors } = await graph.execute(`{ blocksConnection(${args}: "${cursor}") { pageInfo { endCursor } } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
  },
);

test.each(['nodes { timestamp }', 'pageInfo { endCursor }'])(
  'a page with a block that the node lacks fails with BLOCK_NOT_AVAILABLE: %s',
  async (fields) => {
    await startGraph({ isMissing: (height) => height === 14 });
    const { data, errors } = await graph.execute(`{ blocksConnection(from: 10, first: 5) { ${fields} } }`);
    expect(data.blocksConnection).toBeNull();
    expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['BLOCK_NOT_AVAILABLE']);
  },
);
