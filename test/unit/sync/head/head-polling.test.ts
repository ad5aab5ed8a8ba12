import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { isBlockHash } from '../../../../src/ethereum/hex.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { MAX_BRANCH_LENGTH } from '../../../../src/sync/chain/fork-choice.ts';
import { createHeadPolling } from '../../../../src/sync/head/head-polling.ts';
import { HeadState } from '../../../../src/sync/head/head-state.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { log as silentLog } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';

const down = new GraphError('UPSTREAM_UNAVAILABLE', 'The node is down.');
const throttled = new GraphError('UPSTREAM_RATE_LIMITED', 'Too many requests.', { retryAfterMs: 20_000 });
const otherChain = new GraphError('UPSTREAM_CHAIN_CHANGED', 'The node has an endpoint of chain 5 instead of chain 1.');
/** The poll interval of a chain that was mined at once, whose blocks have an interval of 12 s. */
const INTERVAL_MS = FOLLOWER_TIMING.maxPollIntervalMs;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** Polls a chain of 40 blocks. `polls` and `chainChecks` are the seconds at which they happened. */
async function setUp(delayMs = 0) {
  const chain = new SimChain({ seed: 1, blocks: 40, blockSeconds: 12 });
  const lines: string[] = [];
  // The message is the last argument.
  const add = (...line: unknown[]) => void lines.push(String(line.at(-1)));
  const log = Object.assign(Object.create(silentLog), { info: add, warn: add });
  const headState = new HeadState(silentLog, FOLLOWER_TIMING);
  const controller = new AbortController();
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  const node = {
    change: (outcome: RpcOutcome, _call: RpcCall): RpcOutcome => outcome,
    checkChain: async (): Promise<unknown> => undefined,
  };
  const polls: number[] = [];
  const skips: number[] = [];
  const chainChecks: number[] = [];
  const failures: GraphError[] = [];
  const blockAt = (ref: string) => (isBlockHash(ref) ? chain.block(ref) : chain.main.at(Number(ref)));
  const read = (call: RpcCall): RpcOutcome => {
    const ref = String(call.params[0]);
    const block = ref === 'latest' ? chain.head : blockAt(ref);
    return node.change({ result: block ? blockOf(block) : null }, call);
  };
  const polling = createHeadPolling(
    {
      headState,
      log,
      signal: controller.signal,
      timing: FOLLOWER_TIMING,
      createSource: ({ skip } = { skip: 0 }) => {
        polls.push(seconds());
        skips.push(skip);
        return { send: async (calls) => calls.map(read) };
      },
      checkChain: () => {
        chainChecks.push(seconds());
        return node.checkChain();
      },
    },
    delayMs,
    (error) => failures.push(error),
  );
  polling.start();
  await pass(0);
  const head = () => headState.lastHead?.height;
  return { chain, headState, controller, node, polls, skips, chainChecks, failures, lines, polling, head };
}

test('polling starts after its delay, once, and neither after a stop nor after the end of the follower', async () => {
  const { polling, polls, head, controller } = await setUp(1_000);
  polling.start();
  await pass(999);
  expect([polling.isRunning, polls.length]).toEqual([false, 0]);
  await pass(1);
  expect([polling.isRunning, polls, head()]).toEqual([true, [1], 40]);
  await pass(INTERVAL_MS);
  expect(polls).toEqual([1, 5]);
  await polling.stop();
  await pass(60_000);
  expect([polling.isRunning, polls.length]).toEqual([false, 2]);
  polling.start();
  await polling.stop();
  await pass(60_000);
  expect([polling.isRunning, polls.length]).toEqual([false, 2]);
  polling.start();
  await pass(1_000);
  expect([polling.isRunning, polls.length]).toEqual([true, 3]);
  controller.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
  await pass(60_000);
  await polling.stop();
  polling.start();
  await pass(60_000);
  expect([polling.isRunning, polls.length]).toEqual([false, 3]);
});

test('a polled head stays fresh until the next poll and two seconds more', async () => {
  const { headState, polling } = await setUp();
  expect(headState.freshUntil - performance.now()).toBeCloseTo(INTERVAL_MS + FOLLOWER_TIMING.staleAfterMs);
  await polling.stop();
});

test('the chain id is read before the first poll, after 16 polls, after a failure and after a gap', async () => {
  const { chain, chainChecks, polls, node, head, polling } = await setUp();
  await pass(15 * INTERVAL_MS);
  expect([chainChecks, polls.length]).toEqual([[0], 16]);
  await pass(INTERVAL_MS);
  expect([chainChecks, polls.length]).toEqual([[0, 64], 17]);
  node.change = () => ({ error: down });
  await pass(INTERVAL_MS);
  expect(chainChecks).toEqual([0, 64]);
  node.change = (outcome) => outcome;
  await pass(INTERVAL_MS);
  expect(chainChecks).toEqual([0, 64, 72]);
  chain.mine(MAX_BRANCH_LENGTH + 1);
  await pass(INTERVAL_MS);
  expect([head(), chainChecks]).toEqual([41 + MAX_BRANCH_LENGTH, [0, 64, 72, 76]]);
  chain.mine(2);
  await pass(INTERVAL_MS);
  expect([head(), chainChecks.length]).toEqual([43 + MAX_BRANCH_LENGTH, 4]);
  await polling.stop();
});

test('while the head of the node is not linked to the chain, the chain id is read every ten seconds', async () => {
  const { chain, chainChecks, node, polling } = await setUp();
  chain.reorg(2, 1);
  node.change = (outcome, { params }) => (params[0] === 'latest' ? outcome : { result: null });
  await pass(3 * INTERVAL_MS);
  expect(chainChecks).toEqual([0, 12]);
  await pass(3 * INTERVAL_MS);
  expect(chainChecks).toEqual([0, 12, 24]);
  await polling.stop();
});

test('a poll after a head that an endpoint does not confirm uses the next endpoint', async () => {
  const { skips, node, headState, polling } = await setUp();
  node.change = (outcome, { params }) =>
    params[0] === 'latest' && 'result' in outcome ? { result: { ...(outcome.result as object), number: '0x27' } } : outcome;
  await pass(2 * INTERVAL_MS);
  expect([skips, headState.counts.unconfirmed]).toEqual([[0, 0, 1], 2]);
  node.change = () => ({ result: null });
  await pass(2 * INTERVAL_MS);
  expect([skips.slice(3), headState.counts.unconfirmed]).toEqual([[2, 2], 2]);
  await polling.stop();
});

test('a failure expires the head and is logged once, and the node says when it is polled again', async () => {
  const { headState, node, polls, lines, polling } = await setUp();
  expect(lines).toEqual(['polling the node for its head']);
  node.change = () => ({ error: down });
  await pass(2 * INTERVAL_MS);
  expect([headState.isFresh, headState.lastError]).toEqual([false, down]);
  expect(lines.slice(1)).toEqual(['polling the node for its head failed; polling continues']);
  node.change = () => ({ error: throttled });
  await pass(INTERVAL_MS);
  expect(polls).toEqual([0, 4, 8, 12]);
  node.change = (outcome) => outcome;
  await pass(19_900);
  expect(polls).toHaveLength(4);
  await pass(100);
  expect([polls.at(-1), headState.isFresh, lines.slice(2)]).toEqual([32, true, ['the node responds again']]);
  await polling.stop();
});

test('another chain ends polling with a fatal error, and any other failure of the chain id does not', async () => {
  const { node, polls, failures, chainChecks, polling } = await setUp();
  node.change = () => ({ error: down });
  await pass(INTERVAL_MS);
  node.checkChain = () => Promise.reject(down);
  await pass(INTERVAL_MS);
  expect([polling.isRunning, chainChecks, failures]).toEqual([true, [0, 8], []]);
  node.checkChain = () => Promise.reject(otherChain);
  await pass(INTERVAL_MS);
  expect([polling.isRunning, chainChecks, failures]).toEqual([false, [0, 8, 12], [otherChain]]);
  await pass(60_000);
  expect(polls).toHaveLength(4);
});
