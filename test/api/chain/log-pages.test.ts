import { expect, test } from '@jest/globals';
import type { PageInfo } from '../../../src/generated/chain.ts';
import { dataOf, field, type Present } from '../../support/graph/results.ts';
import { type FollowedGraphOptions, type StubbedGraph, startFollowedGraph } from '../../support/graph/stubbed-graph.ts';
import { hex, SimChain } from '../../support/simulator/chain.ts';
import type { SimLog } from '../../support/simulator/view.ts';

/** Pages of logs over a simulated chain whose blocks have up to three logs. */
const HEAD = 400;

let chain: SimChain;
let graph: StubbedGraph;

async function open(options: Partial<FollowedGraphOptions> = {}, blocks = HEAD): Promise<void> {
  chain = new SimChain({ seed: 13, blocks });
  graph = await startFollowedGraph({ chain, ...options });
}

const ADDRESS = '0x0000000000000000000000000000000000000001';
const ALL = 'fromBlock: 0';
const BY_ADDRESS = `fromBlock: 0, addresses: ["${ADDRESS}"]`;

const logsOf = (first: number, last: number): SimLog[] =>
  Array.from({ length: last - first + 1 }, (_none, i) => chain.main.at(first + i)!.logs).flat();
const logsOfAddress = (first: number, last: number) => logsOf(first, last).filter(({ address }) => address === ADDRESS);
const idOf = ({ blockHash, logIndex }: Pick<SimLog, 'blockHash' | 'logIndex'>) => `${blockHash} ${logIndex}`;

const FIELDS = `searchedTo edges { cursor node { cursor blockHash index } } nodes { blockHash index }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

interface Page extends Present<PageInfo> {
  readonly searchedTo: string | null;
  readonly ids: string[];
  readonly cursors: string[];
}

/** Loads a page and checks that its lists agree. */
async function load(filter: string, args: string): Promise<Page> {
  const data = await dataOf(graph.execute(`{ page: logsConnection(filter: { ${filter} }, ${args}) { ${FIELDS} } }`));
  const { edges, nodes, pageInfo } = data.page;
  expect(edges.map(field('node'))).toMatchObject(nodes);
  const cursors = edges.map(field('cursor'));
  expect(edges.map(field('node')).map(field('cursor'))).toEqual(cursors);
  const ids = nodes.map(({ blockHash, index }: { blockHash: string; index: string }) => idOf({ blockHash, logIndex: index }));
  return { ids, cursors, searchedTo: data.page.searchedTo, ...pageInfo };
}

const errorOf = async (filter: string, args: string) => {
  const { data, errors } = await graph.execute(`{ logsConnection(filter: { ${filter} }, ${args}) { nodes { index } } }`);
  expect(data.logsConnection).toBeNull();
  return errors![0];
};

const quote = (cursor: string | null) => JSON.stringify(cursor);
const searches = () => graph.node.takeCounts().methods.eth_getLogs ?? 0;

test('a page of a short range costs one call, and its lists and cursors agree with the chain', async () => {
  await open();
  const page = await load('fromBlock: 385, toBlock: 400', 'first: 500');
  expect(page).toMatchObject({ ids: logsOf(385, 400).map(idOf), hasNextPage: false, hasPreviousPage: false });
  expect(page).toMatchObject({ startCursor: page.cursors[0], endCursor: page.cursors.at(-1) });
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 1 });
});

test('equal pages under several aliases cost one call, and other pages one call each in the same request', async () => {
  await open();
  const page = (name: string, args: string) =>
    `${name}: logsConnection(filter: { fromBlock: 385, toBlock: 399 }, ${args}) { nodes { index } }`;
  const { data } = await graph.execute(`{ ${page('a', 'first: 2')} ${page('b', 'first: 2')} ${page('c', 'last: 3')} }`);
  expect([data.a.nodes.length, data.b.nodes.length, data.c.nodes.length]).toEqual([2, 2, 3]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 1 });
});

test('forward pages have each log once and in order, most of them for one call', async () => {
  await open();
  const expected = logsOf(0, HEAD).map(idOf);
  const found: string[] = [];
  const calls: number[] = [];
  let after: string | null = null;
  for (let hasNextPage = true; hasNextPage; ) {
    const page = await load(ALL, `first: 40, after: ${quote(after)}`);
    expect(page.hasPreviousPage).toBe(after !== null);
    found.push(...page.ids);
    // All logs up to this block are in the pages so far, and some of the next block are not.
    const complete = page.searchedTo === null ? [] : logsOf(0, Number(page.searchedTo)).map(idOf);
    expect(found.slice(0, complete.length)).toEqual(complete);
    if (page.hasNextPage && page.searchedTo !== null)
      expect(found.length).toBeLessThan(logsOf(0, Number(page.searchedTo) + 1).length);
    else if (page.searchedTo !== null) expect(page.searchedTo).toBe(hex(HEAD));
    calls.push(searches());
    ({ endCursor: after, hasNextPage } = page);
  }
  expect(found).toEqual(expected);
  expect(calls).toHaveLength(Math.ceil(expected.length / 40));
  expect(calls[0]).toBe(2);
  expect(calls.filter((count) => count === 1).length).toBeGreaterThan(calls.length * 0.7);
});

test('backward pages have each log once, in chain order within the page', async () => {
  await open();
  let found: string[] = [];
  let before: string | null = null;
  for (let hasPreviousPage = true; hasPreviousPage; ) {
    const page = await load(BY_ADDRESS, `last: 7, before: ${quote(before)}`);
    expect(page.hasNextPage).toBe(before !== null);
    found = [...page.ids, ...found];
    const complete = page.searchedTo === null ? [] : logsOfAddress(Number(page.searchedTo), HEAD).map(idOf);
    expect(found.slice(found.length - complete.length)).toEqual(complete);
    if (!page.hasPreviousPage) expect(page.searchedTo).toBe('0x0');
    ({ startCursor: before, hasPreviousPage } = page);
  }
  expect(found).toEqual(logsOfAddress(0, HEAD).map(idOf));
});

test('a page between two cursors has the logs between them', async () => {
  await open();
  const { cursors, ids } = await load('fromBlock: 390', 'first: 500');
  expect(ids.length).toBeGreaterThan(8);
  const between = `after: ${quote(cursors[1]!)}, before: ${quote(cursors[6]!)}`;
  // Where a cursor ends the search inside a block, the rest of the block is not in the page.
  const second = logsOf(390, HEAD).findIndex(({ logIndex }, i) => i > 3 && logIndex === '0x1');
  const inside = Number(logsOf(390, HEAD)[second]!.blockNumber);
  expect((await load('fromBlock: 390', `first: 500, before: ${quote(cursors[second]!)}`)).searchedTo).toBe(hex(inside - 1));
  expect((await load('fromBlock: 390', `last: 500, after: ${quote(cursors[second]!)}`)).searchedTo).toBe(hex(inside + 1));
  expect((await load('fromBlock: 390', `first: 500, before: ${quote(cursors[second - 1]!)}`)).searchedTo).toBe(hex(inside - 1));
  expect(await load(ALL, `first: 10, ${between}`)).toMatchObject({
    ids: ids.slice(2, 6),
    hasNextPage: false,
    hasPreviousPage: true,
  });
  expect(await load(ALL, `last: 2, ${between}`)).toMatchObject({
    ids: ids.slice(4, 6),
    hasNextPage: true,
    hasPreviousPage: true,
  });
  expect(await load(ALL, `first: 3, ${between}`)).toMatchObject({ ids: ids.slice(2, 5), hasNextPage: true });
});

test('a page of size 0, of a range above the head and of a reversed section cost no call', async () => {
  await open();
  expect(await load(ALL, 'first: 0')).toMatchObject({ ids: [], hasNextPage: true, hasPreviousPage: false, endCursor: null });
  expect(await load('fromBlock: 401', 'first: 5')).toMatchObject({ ids: [], hasNextPage: false, endCursor: null });
  const { cursors } = await load('fromBlock: 390', 'first: 500');
  searches();
  expect(await load('fromBlock: 0, toBlock: 389', `first: 5, after: ${quote(cursors[0]!)}`)).toMatchObject({
    ids: [],
    hasNextPage: false,
  });
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('a page of one block by hash costs one call and has cursors of that block', async () => {
  await open();
  const height = Array.from({ length: 100 }, (_none, i) => i).find((i) => chain.main.at(i)!.logs.length === 3)!;
  const { hash, logs } = chain.main.at(height)!;
  const filter = `blockHash: "${hash}"`;
  const page = await load(filter, 'first: 2');
  expect(page).toMatchObject({ ids: logs.slice(0, 2).map(idOf), hasNextPage: true, hasPreviousPage: false });
  expect(searches()).toBe(1);
  expect(await load(filter, `first: 2, after: ${quote(page.endCursor)}`)).toMatchObject({
    ids: logs.slice(2).map(idOf),
    hasNextPage: false,
    hasPreviousPage: true,
  });
  const other = await load(`blockHash: "${chain.main.at(height + 1)!.hash}"`, 'first: 0');
  expect(other.ids).toEqual([]);
  const foreign = await errorOf(`blockHash: "${chain.main.at(height + 1)!.hash}"`, `first: 2, after: ${quote(page.endCursor)}`);
  expect(foreign.extensions.code).toBe('BAD_USER_INPUT');
});

test.each([
  ['EARLIEST', 'toBlockTag: EARLIEST, fromBlockTag: EARLIEST', 0, 0],
  ['FINALIZED', 'fromBlock: 370, toBlockTag: FINALIZED', 370, HEAD - 16],
  ['SAFE', 'fromBlockTag: SAFE', HEAD - 8, HEAD],
  ['no bound', '', HEAD, HEAD],
])('a range with %s is the range of eth_getLogs', async (_tag, filter, first, last) => {
  await open();
  expect((await load(filter, 'first: 500')).ids).toEqual(logsOf(first, last).map(idOf));
});

test.each([
  ['pending logs', 'toPending: true', 'first: 1', 'BAD_USER_INPUT'],
  ['a reversed range', 'fromBlock: 9, toBlock: 3', 'first: 1', 'BAD_USER_INPUT'],
  ['five topic positions', 'topics: [[], [], [], [], []]', 'first: 1', 'BAD_USER_INPUT'],
  ['a page above MAX_LOGS', ALL, 'first: 21', 'BAD_USER_INPUT'],
  ['a negative page size', ALL, 'last: -1', 'BAD_USER_INPUT'],
  ['an invented cursor', ALL, 'first: 1, after: "abc"', 'BAD_USER_INPUT'],
])('a page of %s is rejected without a call', async (_case, filter, args, code) => {
  await open({ maxLogs: 20 });
  expect((await errorOf(filter, args)).extensions.code).toBe(code);
  expect(graph.node.takeCounts().calls).toBe(0);
});

/** A cursor of a block that a reorg removes, with `depth` blocks above it. */
async function abandonedCursor(depth: number): Promise<string> {
  const height = Array.from({ length: 50 }, (_none, i) => HEAD - depth - i).find((i) => chain.main.at(i)!.logs.length > 0)!;
  const { cursors } = await load(`fromBlock: ${height}, toBlock: ${height}`, 'first: 1');
  chain.reorg(HEAD - height + 1, HEAD - height + 2);
  graph.node.takeCounts();
  return cursors[0]!;
}

test('the cursor of a removed block that the follower knows fails with CURSOR_EXPIRED without a call', async () => {
  await open();
  const cursor = await abandonedCursor(5);
  for (const args of [`first: 5, after: ${quote(cursor)}`, `last: 5, before: ${quote(cursor)}`]) {
    expect((await errorOf(ALL, args)).extensions).toMatchObject({ code: 'CURSOR_EXPIRED', retryable: false });
  }
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('the cursor of a removed block below the window fails with CURSOR_EXPIRED, never a gap', async () => {
  await open({ window: 8 });
  const cursor = await abandonedCursor(40);
  expect((await errorOf(ALL, `first: 5, after: ${quote(cursor)}`)).extensions.code).toBe('CURSOR_EXPIRED');
  expect((await errorOf(BY_ADDRESS, `last: 5, before: ${quote(cursor)}`)).extensions.code).toBe('CURSOR_EXPIRED');
});

test('the cursor of a canonical block below the window costs no further call if the search finds logs of its block, else one', async () => {
  await open({ window: 8 });
  const { cursors } = await load('fromBlock: 100, toBlock: 110', 'first: 500');
  graph.node.takeCounts();
  await load('fromBlock: 100, toBlock: 115', `first: 2, after: ${quote(cursors[0]!)}`);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getLogs: 1 });
  await load(`${BY_ADDRESS}, topics: [["0x${'f'.repeat(64)}"]], toBlock: 115`, `first: 5, after: ${quote(cursors[0]!)}`);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getLogs: 1, eth_getBlockByNumber: 1 });
});

test('a cursor above the head of the operation fails with BLOCK_NOT_AVAILABLE', async () => {
  await open();
  const { cursors } = await load('fromBlock: 390', 'first: 500');
  const { errors } = await graph.execute(
    `{ logsConnection(filter: { ${ALL} }, after: ${quote(cursors.at(-1)!)}) { nodes { index } } }`,
    undefined,
    '0x180',
  );
  expect(errors![0].extensions).toMatchObject({ code: 'BLOCK_NOT_AVAILABLE', retryable: false });
});
