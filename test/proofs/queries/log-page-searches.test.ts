import { expect, test } from '@jest/globals';
import type { PageInfo } from '../../../src/generated/chain.ts';
import { dataOf, field, type Present } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
} from '../../support/graph/stubbed-graph.ts';

/** The searches of pages over twenty million blocks: their widths, what limits them, and how short pages continue. */
const HEAD = 20_000_000;
const hex = (n: number): string => `0x${n.toString(16)}`;
const blockAt = (height: number) =>
  block({ number: hex(height), hash: hashOf(0xb0000000 + height), parentHash: hashOf(0xb0000000 + height - 1) });

let graph: StubbedGraph;
/** Heights of the blocks with one log each. */
let heights: readonly number[];
let ranges: (readonly [first: number, last: number])[];
/** Rejects a search, by its number of blocks and of logs. */
let reject: (blocks: number, logs: number) => Error | undefined;

async function open(logHeights: readonly number[], limits: { maxCost?: number } = {}): Promise<void> {
  heights = logHeights;
  ranges = [];
  reject = () => undefined;
  graph = await startStubbedGraph(
    {
      eth_getBlockByNumber: (ref: string) => blockAt(ref === 'latest' ? HEAD : Number(ref)),
      eth_getLogs({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) {
        const [first, last] = [Number(fromBlock), Number(toBlock)];
        ranges.push([first, last]);
        const found = heights.filter((height) => height >= first && height <= last);
        return (
          reject(last - first + 1, found.length) ??
          found.map((height) => logFixture({ blockNumber: hex(height), blockHash: blockAt(height).hash, data: hex(height) }))
        );
      },
    },
    limits,
  );
}

interface SearchedPage extends Present<PageInfo> {
  readonly heights: number[];
}

async function load(args: string, filter = `fromBlock: 0, addresses: ["${addressOf(0xc)}"]`): Promise<SearchedPage> {
  ranges = [];
  const data = await dataOf(
    graph.execute(`{
    page: logsConnection(filter: { ${filter} }, ${args}) {
      nodes { blockNumber } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`),
  );
  return { heights: data.page.nodes.map(field('blockNumber')).map(Number), ...data.page.pageInfo };
}

const widths = () => ranges.map(([first, last]) => last - first + 1);
const quote = (cursor: string | null) => JSON.stringify(cursor);

/** Follows the pages from one end and returns the heights in the order of the pages. */
async function loadAll(direction: 'forward' | 'backward', size: number): Promise<{ found: number[]; pages: number }> {
  const found: number[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    if (direction === 'forward') {
      const page = await load(`first: ${size}, after: ${quote(cursor)}`);
      found.push(...page.heights);
      if (!page.hasNextPage) return { found, pages };
      cursor = page.endCursor;
    } else {
      const page = await load(`last: ${size}, before: ${quote(cursor)}`);
      found.unshift(...page.heights);
      if (!page.hasPreviousPage) return { found, pages };
      cursor = page.startCursor;
    }
    if (pages > 100) throw new Error('the pages do not end');
  }
}

test('searches without logs grow eightfold, so that an empty range of twenty million blocks costs seven calls and one for the head', async () => {
  await open([]);
  expect(await load('first: 5')).toMatchObject({ heights: [], hasNextPage: false, endCursor: null });
  expect(widths().slice(0, 4)).toEqual([100, 800, 6_400, 51_200]);
  // The head is read again, because no follower would report a reorg between two of the searches.
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_getLogs: 7 });
  expect(ranges[0]).toEqual([0, 99]);
  expect(ranges.at(-1)![1]).toBe(HEAD);
});

test('a reorg between two searches of a page or a list fails with BLOCK_NOT_AVAILABLE; one search needs no check', async () => {
  let reorgs = 0;
  reject = () => undefined;
  graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) =>
      ref === 'latest' ? blockAt(HEAD) : { ...blockAt(Number(ref)), hash: hashOf(0xc0000000 + reorgs) },
    eth_getLogs({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) {
      reorgs++;
      return reject(Number(toBlock) - Number(fromBlock) + 1, 0) ?? [];
    },
  });
  const page = (from: number) => `{ logsConnection(filter: { fromBlock: ${from} }, first: 5) { nodes { index } } }`;
  const { errors } = await graph.execute(page(0));
  expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
  graph.node.takeCounts();
  expect((await graph.execute(page(HEAD - 1))).data.logsConnection.nodes).toEqual([]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_getLogs: 1 });
  const list = '{ logs(filter: { fromBlock: 0, toBlock: 99 }) { index } }';
  expect((await graph.execute(list)).data.logs).toEqual([]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getLogs: 1 });
  reject = (blocks) => (blocks > 40 ? rpcError(-32602, 'query exceeds max block range 40') : undefined);
  expect((await graph.execute(list)).errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 5, methods: { eth_getBlockByNumber: 2, eth_getLogs: 4 } });
});

test('the cursor of a block that the node lacks fails with BLOCK_NOT_AVAILABLE', async () => {
  await open([5]);
  const { endCursor } = await load('first: 1', 'fromBlock: 5, toBlock: 5');
  graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => (ref === 'latest' ? blockAt(HEAD) : null),
    eth_getLogs: [],
  });
  const { errors } = await graph.execute(
    `{ logsConnection(filter: { fromBlock: 0, toBlock: 50 }, first: 5, after: ${quote(endCursor)}) { nodes { index } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
});

test('backward searches start at the head', async () => {
  await open([5]);
  expect(await load('last: 5')).toMatchObject({ heights: [5], hasPreviousPage: false });
  expect(ranges[0]).toEqual([HEAD - 99, HEAD]);
  expect(ranges.at(-1)![0]).toBe(0);
});

test('a search is as wide as the density of the logs demands, also on the next page', async () => {
  await open(Array.from({ length: 4_000 }, (_none, i) => 50 * i));
  const first = await load('first: 100');
  expect(first.heights).toHaveLength(100);
  // Two logs in 100 blocks: 98 more are expected in 4,900, with a margin of a quarter. A search is at most eight times as wide as the last.
  expect(widths()).toEqual([100, 800, 5_125]);
  const second = await load(`first: 100, after: ${quote(first.endCursor)}`);
  expect(second.heights).toEqual(Array.from({ length: 100 }, (_none, i) => 50 * (100 + i)));
  expect(ranges).toHaveLength(1);
});

test('a page ends when its searches have used up half of MAX_COST, and its cursor continues them', async () => {
  await open([1_000_000, 19_000_000], { maxCost: 100 });
  const first = await load('first: 5');
  // Three searches cost 20 each; the third is the first beyond 50.
  expect(ranges).toHaveLength(3);
  expect(first).toMatchObject({ heights: [], hasNextPage: true, startCursor: null });
  const second = await load(`first: 5, after: ${quote(first.endCursor)}`);
  expect(ranges[0]![0]).toBe(100 + 800 + 6_400);
  expect(second).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  for (const direction of ['forward', 'backward'] as const) {
    const { found, pages } = await loadAll(direction, 5);
    expect(found).toEqual([1_000_000, 19_000_000]);
    expect(pages).toBeLessThan(8);
  }
});

test('a page that ends before it is full costs one call for the hash of the block where the search continues', async () => {
  await open([], { maxCost: 30 });
  await load('first: 5');
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_getLogs: 1 });
});

test.each([
  ['a number of blocks', 'exceed maximum block range: 50000'],
  ['no number of blocks', 'Requested range exceeds maximum RPC range limit'],
])('a rejection with %s is obeyed, and cached for all later pages and searches', async (_case, message) => {
  await open([123_456]);
  reject = (blocks) => (blocks > 50_000 ? rpcError(-32602, message) : undefined);
  expect((await load('first: 1')).heights).toEqual([123_456]);
  expect(widths().filter((width) => width > 50_000)).toHaveLength(1);
  await load('first: 1', `fromBlock: 0, toBlock: 500000, topics: [["${hashOf(0x70)}"]]`);
  expect(widths().filter((width) => width > 50_000)).toEqual([]);
  ranges = [];
  const { data } = await graph.execute('{ logs(filter: { fromBlock: 100000, toBlock: 300000 }) { blockNumber } }');
  expect(data.logs).toEqual([{ blockNumber: hex(123_456) }]);
  expect(Math.max(...widths())).toBeLessThanOrEqual(50_000);
});

test('a rejection for too many results narrows the search to a page of the density that it proves', async () => {
  await open(Array.from({ length: 30_000 }, (_none, i) => 2_000_000 + i));
  reject = (_blocks, logs) => (logs > 10_000 ? rpcError(-32005, 'query returned more than 10000 results') : undefined);
  const { heights: found } = await load('first: 10');
  expect(found).toEqual(Array.from({ length: 10 }, (_none, i) => 2_000_000 + i));
  expect(ranges.length).toBeLessThan(25);
});

test('hints that repeat the rejected range end in a search that the node accepts', async () => {
  await open([7]);
  reject = (blocks) =>
    blocks > 12 ? rpcError(-32602, `query exceeds max results 5, retry with the range 0-${blocks - 1}`) : undefined;
  expect((await load('first: 1', 'fromBlock: 0, toBlock: 99')).heights).toEqual([7]);
});

test('a block that the node rejects alone fails with RESULT_TOO_LARGE without the text of the node', async () => {
  await open([]);
  reject = () => rpcError(-32602, 'exceed maximum block range: 0 of secret.example');
  const { errors } = await graph.execute('{ logsConnection(filter: { fromBlock: 0 }) { nodes { index } } }');
  expect(errors![0].extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', source: 'node' });
  expect(JSON.stringify(errors)).not.toContain('secret');
});

test('a log query that needs more than 128 searches fails with RESULT_TOO_LARGE after the first search', async () => {
  await open([]);
  reject = (blocks) => (blocks > 10 ? rpcError(-32600, 'eth_getLogs requests with up to a 10 block range') : undefined);
  const { errors } = await graph.execute('{ logs(filter: { fromBlock: 0, toBlock: 5000 }) { index } }');
  expect(errors![0].extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', source: 'node', limit: 128 });
  expect(ranges).toHaveLength(1);
  const { data } = await graph.execute('{ logs(filter: { fromBlock: 0, toBlock: 1269 }) { index } }');
  expect(data.logs).toEqual([]);
  expect(ranges).toHaveLength(1 + 127);
});

test('a log query from EARLIEST is split where the node limits its range', async () => {
  await open([3, 60]);
  reject = (blocks) => (blocks > 40 || Number.isNaN(blocks) ? rpcError(-32602, 'query exceeds max block range 40') : undefined);
  const data = await dataOf(graph.execute('{ logs(filter: { fromBlockTag: EARLIEST, toBlock: 99 }) { blockNumber } }'));
  expect(data.logs).toEqual([{ blockNumber: '0x3' }, { blockNumber: '0x3c' }]);
  expect(widths().slice(1)).toEqual([40, 40, 20]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 5, methods: { eth_getBlockByNumber: 2, eth_getLogs: 4 } });
});

test('a log query from EARLIEST never repeats a search that the node has rejected', async () => {
  await open([3, 60]);
  reject = (blocks) => (blocks > 50 || Number.isNaN(blocks) ? rpcError(-32000, 'query timeout exceeded') : undefined);
  const { data } = await graph.execute('{ logs(filter: { fromBlockTag: EARLIEST, toBlock: 99 }) { blockNumber } }');
  expect(data.logs).toEqual([{ blockNumber: '0x3' }, { blockNumber: '0x3c' }]);
  expect(Math.max(...widths().slice(1))).toBeLessThanOrEqual(50);
});

test('a node that numbers logs within their transaction has no pages, because a cursor would not be the position of one log', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => block({ number: ref === 'latest' ? '0x20' : ref }),
    eth_getLogs: [0, 1].map((i) => logFixture({ transactionIndex: hex(i), transactionHash: hashOf(0x71 + i) })),
  });
  const { errors } = await graph.execute('{ logsConnection(filter: { fromBlock: 16 }) { nodes { index } } }');
  expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
});
