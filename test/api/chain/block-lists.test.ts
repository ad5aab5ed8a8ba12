import { beforeEach, expect, test } from '@jest/globals';
import { type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain, type LongChain, responsesOf } from '../../support/upstream/long-chain.ts';

/** The last blocks of a chain, without a follower and with the cache off: the head costs one call. */
let chain: LongChain;
let graph: StubbedGraph;

beforeEach(async () => {
  chain = createLongChain(1_000);
  graph = await startStubbedGraph(responsesOf(chain));
});

const numbersOf = (blocks: { number: string }[]) => blocks.map(({ number }) => Number(number));

test('the last N blocks end at the head, oldest first, and cost the head and N - 1 blocks', async () => {
  const { data } = await graph.execute('{ blocks(last: 3) { number timestamp } }');
  expect(data.blocks.map(({ number, timestamp }: any) => [Number(number), Number(timestamp)])).toEqual([
    [998, 11_976],
    [999, 11_988],
    [1_000, 12_000],
  ]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 3 });
});

test('the heights of the last N blocks cost the head alone', async () => {
  const { data } = await graph.execute('{ blocks(last: 100) { number } }');
  expect(numbersOf(data.blocks)).toEqual(Array.from({ length: 100 }, (_, i) => 901 + i));
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 1 });
});

test('more last blocks than the chain has are the whole chain, and zero are none', async () => {
  chain.head = 4;
  const { data } = await graph.execute('{ all: blocks(last: 100) { number } none: blocks(last: 0) { number } }');
  expect([numbersOf(data.all), data.none]).toEqual([[0, 1, 2, 3, 4], []]);
});

test('more last blocks than MAX_BLOCKS are RESULT_TOO_LARGE', async () => {
  const { errors } = await graph.execute('{ blocks(last: 101) { number } }');
  expect(errors).toMatchObject([
    { path: ['blocks'], extensions: { code: 'RESULT_TOO_LARGE', limit: 100, actual: 101, setting: 'MAX_BLOCKS' } },
  ]);
});

test('an open range that starts above the head is empty, and so is a range above the head', async () => {
  const { data } = await graph.execute('{ a: blocks(from: 1001) { hash } b: blocks(from: 5000, to: 5001) { hash } }');
  expect(data).toEqual({ a: [], b: [] });
});
