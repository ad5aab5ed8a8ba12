import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { HeadState } from '../../../../src/sync/head/head-state.ts';
import { errorLogFields, runForkChoice } from '../../../../src/sync/head/rpc-queries.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import type { RpcFailure, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { log } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';

const chain = new SimChain({ seed: 1, blocks: 3 });
const down: RpcFailure = { error: new GraphError('UPSTREAM_UNAVAILABLE', 'The node is down.') };
const mismatch: RpcFailure = { error: new GraphError('UPSTREAM_BAD_RESPONSE', 'It is another block.'), isMismatch: true };
const unexpected = new GraphError('INTERNAL_SERVER_ERROR', 'Following the chain failed.');

/** Reads the node's latest block; the outcome of the read is the first one, further reads have the last one. */
async function readLatest(outcomes: readonly RpcOutcome[], headState = new HeadState(log, FOLLOWER_TIMING)) {
  let reads = 0;
  const send = async (calls: readonly unknown[]) => calls.map(() => outcomes[Math.min(reads++, outcomes.length - 1)]!);
  const { signal } = new AbortController();
  const observation = { kind: 'latest', reporter: 'poll', isOverdue: false } as const;
  const { result, failure } = await runForkChoice(headState, observation, { send }, signal);
  headState.applyResult(result, { send }, 1_000);
  return { headState, outcome: result.outcome, failure, malformed: headState.counts.malformed };
}

const start = async () =>
  (await readLatest([3, 2, 1, 0].map((height) => ({ result: blockOf(chain.main.at(height)!) })))).headState;

test.each<[string, RpcOutcome, GraphError | undefined, number]>([
  ['no block', { result: null }, undefined, 0],
  ['a failed call', down, down.error, 0],
  ['a refused result', mismatch, mismatch.error, 1],
  ['a malformed header', { result: {} }, undefined, 1],
])('before the first head, %s leaves the head unknown', async (_case, outcome, failure, malformed) => {
  const read = await readLatest([outcome]);
  expect(read).toMatchObject({ failure, malformed });
  expect(read.headState.lastHead).toBeUndefined();
});

test.each<[string, RpcOutcome, GraphError | undefined, number]>([
  ['a failed call', down, down.error, 0],
  ['a refused result', mismatch, undefined, 1],
])('after the first head, %s leaves the head', async (_case, outcome, failure, malformed) => {
  const read = await readLatest([outcome], await start());
  expect(read).toMatchObject({ failure, malformed });
  expect(read.headState.lastHead?.hash).toBe(chain.head.hash);
});

test('a node of another chain ends the follower', async () => {
  const error = new GraphError('UPSTREAM_CHAIN_CHANGED', 'The node has an endpoint of chain 5.');
  await expect(readLatest([{ error }])).rejects.toBe(error);
});

test('log fields have the error itself only if it is unexpected', () => {
  expect(errorLogFields(down.error)).toEqual({ code: 'UPSTREAM_UNAVAILABLE', reason: 'The node is down.' });
  expect(errorLogFields(unexpected)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', err: unexpected });
});
