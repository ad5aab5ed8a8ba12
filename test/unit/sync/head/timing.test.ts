import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import type { CanonicalChain } from '../../../../src/sync/chain/canonical-chain.ts';
import {
  FOLLOWER_TIMING,
  pollIntervalMs,
  recheckDelayMs,
  reconnectBackoffMs,
  requestedRetryDelayMs,
  silenceTimeoutMs,
} from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

function blocksEvery(seconds: number): CanonicalChain {
  const chain = new SimChain({ seed: 1, blockSeconds: seconds });
  chain.mine(3);
  return [0, 1, 2, 3].map((height) => headOf(chain.main.at(height)!)) as unknown as CanonicalChain;
}

describe('the wait before a connection', () => {
  test.each([
    [0, 250],
    [1, 500],
    [6, 16_000],
    [7, 30_000],
    [1_000_000, 30_000],
  ])('after %s failures in a row is a random part of a span of %s ms', (failures, span) => {
    expect(reconnectBackoffMs(failures, FOLLOWER_TIMING, 0)).toBe(0);
    expect(reconnectBackoffMs(failures, FOLLOWER_TIMING, 0.5)).toBe(span / 2);
  });

  test.each([
    ['as long as the node asked for', 2_000, 2_000],
    ['but no longer than any other', 86_400_000, 30_000],
    ['or nothing where it did not ask', undefined, 0],
  ])('is at least %s', (_case, retryAfterMs, ms) => {
    const detail = retryAfterMs === undefined ? {} : { retryAfterMs };
    expect(requestedRetryDelayMs(new GraphError('UPSTREAM_RATE_LIMITED', 'no', detail), FOLLOWER_TIMING)).toBe(ms);
    expect(requestedRetryDelayMs(undefined, FOLLOWER_TIMING)).toBe(0);
  });
});

test.each([
  [0, 100],
  [1, 200],
  [5, 3_200],
  [6, 4_000],
  [1_000_000, 4_000],
])('after %s answers that something is not there the next question waits %s ms', (misses, ms) => {
  expect(recheckDelayMs(misses, FOLLOWER_TIMING)).toBe(ms);
});

test.each([
  ['an unknown block time', undefined, 30_000],
  ['2 s', blocksEvery(2), 30_000],
  ['12 s', blocksEvery(12), 60_000],
  ['an hour', blocksEvery(3_600), 120_000],
])('with %s between blocks a node may be silent for so long', (_case, canonical, ms) => {
  expect(silenceTimeoutMs(canonical, FOLLOWER_TIMING)).toBe(ms);
});

test.each([
  ['an unknown block time', undefined, 1_000],
  ['0 s', blocksEvery(0), 250],
  ['1 s', blocksEvery(1), 500],
  ['12 s', blocksEvery(12), 4_000],
])('with %s between blocks polls come this often', (_case, canonical, ms) => {
  expect(pollIntervalMs(canonical, FOLLOWER_TIMING)).toBe(ms);
});
