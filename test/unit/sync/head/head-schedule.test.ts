import { expect, jest, test } from '@jest/globals';
import { type ChainChange, type Follower, type Head, startFollower } from '../../../../src/sync/head/follower.ts';
import { createHeadSchedule, trackFinalizedHeight } from '../../../../src/sync/head/head-schedule.ts';
import type { RpcOutcome, RpcSender } from '../../../../src/upstream/rpc/rpc-call.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { log } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../../support/simulator/node.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** Tracks the final block of a simulated node, which is 16 below its head. */
async function startTracking(prepare: (node: SimNode) => void = () => {}) {
  const chain = new SimChain({ seed: 3, blocks: 40 });
  const node = await startSimNode({ chain });
  prepare(node);
  const follower = startFollower({ url: node.wsUrl, timeoutMs: 5_000, maxBatchSize: 100, log });
  const finalizedHeight = trackFinalizedHeight(follower);
  cleanups.push(
    () => node.stop(),
    () => follower.stop(),
    async () => finalizedHeight.stop(),
  );
  await follower.ready(AbortSignal.timeout(60_000));
  const finalizedReads = () => node.reads.flatMap(({ calls }) => calls).filter(({ params }) => params[0] === 'finalized').length;
  const mineOneByOne = async (count: number) => {
    for (let i = 0; i < count; i++) {
      chain.mine();
      await waitUntil(() => follower.head?.hash === chain.head.hash, 'the follower has the block');
    }
  };
  return { finalizedHeight, finalizedReads, mineOneByOne };
}

test('the final height is read after the first head, and again after 32 blocks', async () => {
  const { finalizedHeight, finalizedReads, mineOneByOne } = await startTracking();
  await waitUntil(() => finalizedHeight.value === 24, 'the final height is known');
  await mineOneByOne(31);
  expect(finalizedReads()).toBe(1);
  await mineOneByOne(1);
  await waitUntil(() => finalizedHeight.value === 56, 'the final height has grown');
  expect(finalizedReads()).toBe(2);
});

test.each<[string, (params: readonly any[]) => { result: unknown } | { error: object } | undefined]>([
  ['rejects the tag', ([ref]) => (ref === 'finalized' ? { error: { code: -32602, message: 'invalid block tag' } } : undefined)],
  ['has no final block yet', ([ref]) => (ref === 'finalized' ? { result: null } : undefined)],
])('the final height stays unknown if the node %s', async (_case, respond) => {
  const { finalizedHeight, finalizedReads, mineOneByOne } = await startTracking((node) => {
    node.intercept = (_method, params) => respond(params);
  });
  await waitUntil(() => finalizedReads() === 1, 'the final block is requested');
  await mineOneByOne(1);
  expect(finalizedHeight.value).toBe(-1);
});

/** Tracks the final block of a chain whose heads, and whose responses to the reads of the tag, a test sends. */
function startManualTracking() {
  let listener: Parameters<Follower['subscribe']>[0] = () => {};
  let head: Head | undefined;
  const pendingReads: ((outcomes: RpcOutcome[]) => void)[] = [];
  const source: RpcSender = { send: () => new Promise((resolve) => pendingReads.push(resolve)) };
  const finalizedHeight = trackFinalizedHeight({
    get head() {
      return head;
    },
    subscribe(added) {
      listener = added;
      return () => {};
    },
  });
  return {
    finalizedHeight,
    moveTo(height: number, { hasGap = false }: Partial<ChainChange> = {}) {
      head = { height } as Head;
      listener({ removed: [], added: [head], hasGap }, source);
    },
    async respondToFirst(height: number) {
      const [number, hash] = [`0x${height.toString(16)}`, `0x${'a'.repeat(64)}`];
      pendingReads.shift()!([{ result: { number, hash, parentHash: hash, transactions: [], uncles: [] } }]);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('the final height stays unknown if the node returns its head and the next head arrives before the response', async () => {
  const { finalizedHeight, moveTo, respondToFirst } = startManualTracking();
  moveTo(40);
  moveTo(41);
  await respondToFirst(40);
  expect(finalizedHeight.value).toBe(-1);
});

test('after a gap the final height belongs to the new chain, whatever a read from before the gap returns', async () => {
  const { finalizedHeight, moveTo, respondToFirst } = startManualTracking();
  moveTo(400);
  moveTo(40, { hasGap: true });
  await respondToFirst(39);
  expect(finalizedHeight.value).toBe(-1);
  await respondToFirst(24);
  expect(finalizedHeight.value).toBe(24);
});

/** The seconds to the next head right after a head and some time later, with blocks at these timestamps in seconds. */
function secondsToNextHead(timestamps: readonly number[], laterMs = 0): number {
  jest.useFakeTimers();
  const window = timestamps.map((timestamp) => ({ header: { timestamp: `0x${timestamp.toString(16)}` } }) as Head);
  const schedule = createHeadSchedule({ window: window as unknown as [Head], subscribe: () => () => {} });
  jest.advanceTimersByTime(laterMs);
  const seconds = schedule.secondsToNextHead;
  jest.useRealTimers();
  return seconds;
}

test.each<[string, number[], number]>([
  ['an hour', [0, 3_600, 7_200], 11],
  ['twelve seconds', [0, 12, 24, 36], 11],
  ['twelve seconds with a missed slot', [0, 12, 24, 36, 60], 11],
  ['twelve seconds, and then two seconds', [0, 12, 24, 36, 38], 1],
  ['two seconds', [0, 2, 4, 6], 1],
  ['one second', [0, 1, 2, 3], 0],
  ['less than a second', [0, 0, 1, 1], 0],
  ['an unknown number of seconds', [7], 0],
  ['an unknown number of seconds, because the last block is older', [0, 12, 24, 7], 0],
])('whole seconds before the next head with a block time of %s', (_case, timestamps, seconds) => {
  expect(secondsToNextHead(timestamps)).toBe(seconds);
});

test('whole seconds before the next head end before it, and stay 0 after it', () => {
  const after = (ms: number) => secondsToNextHead([0, 12], ms);
  expect([after(999), after(1_000), after(10_999), after(11_000), after(60_000)]).toEqual([11, 10, 1, 0, 0]);
});
