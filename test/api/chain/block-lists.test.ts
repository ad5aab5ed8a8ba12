import { expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import {
  type StubbedGraph,
  type StubResponses,
  startFollowedGraph,
  startStubbedGraph,
} from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { createLongChain, followerOf, type LongChain, responsesOf } from '../../support/upstream/long-chain.ts';

/** Ranges and the last blocks of a chain of 100 blocks with two transactions each, without a follower and with the cache off. */
let chain: LongChain;
let graph: StubbedGraph;

async function start(changes: Partial<LongChain> = {}, methodsOf: (node: StubResponses) => StubResponses = (node) => node) {
  chain = createLongChain(100, { transactionCount: () => 2, ...changes });
  graph = await startStubbedGraph(methodsOf(responsesOf(chain)), { maxBlocks: 100 });
}

const FULL = 'number transactions { hash nonce status }';
const numbersOf = (blocks: { number: string }[]) => blocks.map(({ number }) => Number(number));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('the last N blocks end at the head, oldest first, and cost the head and N - 1 blocks', async () => {
  await start();
  const { data } = await graph.execute('{ blocks(last: 3) { number timestamp } }');
  expect(numbersOf(data.blocks)).toEqual([98, 99, 100]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 3 });
});

test('the heights of the last N blocks cost the head alone', async () => {
  await start();
  const { data } = await graph.execute('{ blocks(last: 100) { number } }');
  expect(numbersOf(data.blocks)).toEqual(range(1, 100));
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 1 });
});

test('more last blocks than the chain has are the whole chain, and zero are none', async () => {
  await start();
  chain.head = 4;
  const { data } = await graph.execute('{ all: blocks(last: 100) { number } none: blocks(last: 0) { number } }');
  expect([numbersOf(data.all), data.none]).toEqual([[0, 1, 2, 3, 4], []]);
});

test('more last blocks than MAX_BLOCKS fail with RESULT_TOO_LARGE', async () => {
  await start();
  const { errors } = await graph.execute('{ blocks(last: 101) { number } }');
  expect(errors).toMatchObject([
    { path: ['blocks'], extensions: { code: 'RESULT_TOO_LARGE', limit: 100, actual: 101, setting: 'MAX_BLOCKS' } },
  ]);
});

test('an open range that starts above the head is empty, and so is a range above the head', async () => {
  await start();
  const { data } = await graph.execute('{ a: blocks(from: 101) { hash } b: blocks(from: 5000, to: 5001) { hash } }');
  expect(data).toEqual({ a: [], b: [] });
});

test('20 full blocks with receipts cost 1/40, and 50 cost 3/100', async () => {
  // The second request costs no call for the head, because the range has an end that is below MAX_BLOCKS.
  await start();
  const data = await dataOf(graph.execute(`{ blocks(from: 1, to: 20) { ${FULL} } }`));
  expect(numbersOf(data.blocks)).toEqual(range(1, 20));
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 40 });
  const long = await dataOf(graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} } }`));
  expect(numbersOf(long.blocks)).toEqual(range(1, 50));
  expect(long.blocks[49]!.transactions).toMatchObject([{ nonce: '0x1', status: '0x1' }, { nonce: '0x1' }]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 3, calls: 100 });
});

test('100 blocks without full transactions cost one request', async () => {
  await start();
  await graph.execute('{ blocks(from: 1, to: 99) { number timestamp transactions { hash } } }');
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 99 });
});

test('ranges that overlap read each block once', async () => {
  await start();
  const data = await dataOf(
    graph.execute(
      `{ a: blocks(from: 1, to: 50) { ${FULL} } b: blocks(from: 11, to: 60) { ${FULL} } one: block(number: 15) { ${FULL} } }`,
    ),
  );
  expect([numbersOf(data.a), numbersOf(data.b)]).toEqual([range(1, 50), range(11, 60)]);
  expect(data.one).toEqual(data.a[14]);
  expect(data.b.slice(0, 40)).toEqual(data.a.slice(10));
  expect(graph.node.takeCounts().calls).toBe(120);
});

test('parents in the same window cost no call', async () => {
  await start();
  const data = await dataOf(graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} parent { ${FULL} } } }`));
  expect(numbersOf(data.blocks.map(({ parent }: { parent: { number: string } }) => parent))).toEqual(range(0, 49));
  // The parent of the first block of each window costs two calls.
  expect(graph.node.takeCounts()).toMatchObject({ http: 6, calls: 106 });
});

test('receipts that are read one by one are released with their block', async () => {
  await start({}, ({ eth_getBlockReceipts, ...node }) => node);
  const data = await dataOf(
    graph.execute(
      `{ blocks(from: 1, to: 50) { ${FULL} } one: block(number: 4) { parent { parent { transactions { status } } } } }`,
    ),
  );
  expect(data.one.parent.parent.transactions).toEqual([{ status: '0x1' }, { status: '0x1' }]);
  // Block 2 has been released when the second parent is read, so its two receipts are requested again.
  expect(graph.node.takeCounts().methods.eth_getTransactionReceipt).toBe(102);
});

test('a range in windows is null with one error when a block of a later window is missing', async () => {
  await start({ isMissing: (height) => height === 45 });
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 60) { ${FULL} } }`);
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
  // The third window fails and no further one is read.
  expect(graph.node.takeCounts().methods.eth_getBlockByNumber).toBeLessThanOrEqual(60);
});

test('a reorg between two windows is detected by the parent hash', async () => {
  await start();
  // The first window has 40 calls.
  chain.branchOf = () => (graph.requested.length > 40 ? 1 : 0);
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} } }`);
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a reorg of blocks below those that a new server knows is detected by the parent hash', async () => {
  const simulated = new SimChain({ seed: 1, blocks: 90 });
  const node = await startSimNode({ chain: simulated });
  const server = await serveGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl, NODE_METHODS: 'plain', LOG_LEVEL: 'warn' });
  node.isMuted = true;
  simulated.reorg(80, 80);
  const { data, errors } = await server.execute('{ blocks(last: 80) { number hash } }');
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a failing field of a later window is null at the index of its block', async () => {
  await start({}, (node) => ({
    ...node,
    eth_getBlockByNumber: (ref: string, full: boolean) => ({
      ...responsesOf(chain).eth_getBlockByNumber(ref, full),
      ...(ref === '0x1e' && { baseFeePerGas: 'x' }),
    }),
  }));
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} baseFeePerGas } }`);
  expect(errors).toMatchObject([{ path: ['blocks', 29, 'baseFeePerGas'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(data.blocks[29]).toMatchObject({ number: '0x1e', baseFeePerGas: null });
});

test('blocks by height and by hash are in the order of the list, and a block that is named twice costs one call', async () => {
  await start();
  const { data } = await graph.execute('{ blocks(numbers: [7, 3, 7, 100]) { number hash transactions { nonce } } }');
  expect(numbersOf(data.blocks)).toEqual([7, 3, 7, 100]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 3 });
  const hashes = data.blocks.map(({ hash }: { hash: string }) => hash).reverse();
  const byHash = await graph.execute('query ($hashes: [Bytes32!]) { blocks(hashes: $hashes) { number } }', { hashes });
  expect(numbersOf(byHash.data.blocks)).toEqual([100, 7, 3, 7]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 3 });
});

test.each(['numbers: [1, 101] ', `hashes: ["0x${'0'.repeat(64)}"]`])(
  'a list with a block that the node lacks fails: %s',
  async (list) => {
    await start();
    for (const fields of ['number', 'hash', 'transactions { nonce }']) {
      const { data, errors } = await graph.execute(`{ blocks(${list}) { ${fields} } }`);
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
    }
  },
);

test.each([
  ['the next block', 1, true],
  ['a block above the next one', 2, false],
])('whether a list with %s is retryable: %d above the head, %s', async (_name, distance, retryable) => {
  const followed = await startFollowedGraph({ chain: new SimChain({ seed: 7, blocks: 10 }) });
  const head = Number((await dataOf(followed.execute('{ block { number } }'))).block.number);
  const { errors } = await followed.execute(`{ blocks(numbers: [1, ${head + distance}]) { hash } }`);
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable } }]);
});

test.each(['', 'to: 3', 'from: 1, last: 2', 'last: 2, numbers: [1]', 'numbers: [1], hashes: []', 'from: 1, numbers: []'])(
  'blocks(%s) fails with BAD_USER_INPUT',
  async (list) => {
    await start();
    const { errors } = await graph.execute(`{ blocks${list && `(${list})`} { number } }`);
    expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BAD_USER_INPUT' } }]);
  },
);

test('a list of more blocks than MAX_BLOCKS fails with RESULT_TOO_LARGE, and an empty one is empty', async () => {
  await start();
  const { errors } = await graph.execute(`{ blocks(numbers: [${range(0, 100)}]) { number } }`);
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'RESULT_TOO_LARGE', limit: 100, actual: 101 } }]);
  expect((await graph.execute('{ blocks(numbers: []) { hash } }')).data).toEqual({ blocks: [] });
});

test('a block by its distance from the head costs the head and the block; there is none before the first block', async () => {
  await start();
  const { data } = await graph.execute('{ head: block(offset: 0) { number } tenth: block(offset: 10) { number timestamp } }');
  expect([Number(data.head.number), Number(data.tenth.number)]).toEqual([100, 90]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 2 });
  const none = await graph.execute('{ first: block(offset: 100) { number } none: block(offset: 101) { number } }');
  expect(none.data).toEqual({ first: { number: '0x0' }, none: null });
  const { errors } = await graph.execute('{ block(offset: 1, number: 1) { number } }');
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});

test('a reorg that removes the head at any time while a list is read fails the list, and rejects no other promise', async () => {
  const long = createLongChain(100, { transactionCount: () => 2 });
  const known = followerOf(long, 1);
  let checks = 0;
  const headerOf = (hash: string) => (checks-- > 0 ? known.headerOf(hash) : undefined);
  const follower = { ...known, head: known.head, oldest: known.oldest, settledBelow: 0, headerOf };
  graph = await startStubbedGraph(responsesOf(long), { follower });
  const failed: number[] = [];
  for (let removedAfter = 5; removedAfter < 500; removedAfter += 5) {
    checks = removedAfter;
    const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 100) { ${FULL} } }`);
    if (!data?.blocks) failed.push(removedAfter);
    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('BLOCK_NOT_AVAILABLE');
  }
  // Jest fails for a rejection that nothing handles.
  await new Promise((resolve) => setImmediate(resolve));
  expect(failed.length).toBeGreaterThan(20);
});

test('blocks by hash may be of two branches', async () => {
  const chain = new SimChain({ seed: 7, blocks: 40 });
  const graph = await startFollowedGraph({ chain });
  const removed = chain.main.at(38)!.hash;
  chain.reorg(4, 5);
  const hashes = [removed, chain.main.at(39)!.hash];
  const data = await dataOf(graph.execute(`{ blocks(hashes: ${JSON.stringify(hashes)}) { hash } }`));
  expect(data).toEqual({ blocks: hashes.map((hash) => ({ hash })) });
});
