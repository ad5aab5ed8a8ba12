import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { CanonicalChain } from '../../../../src/sync/chain/canonical-chain.ts';
import {
  backoffMs,
  FOLLOWER_TIMING,
  pollIntervalMs,
  requestedRetryDelayMs,
  silenceTimeoutMs,
} from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

function blocksEvery(seconds: number): CanonicalChain {
  const chain = new SimChain({ seed: 1, blockSeconds: seconds, blocks: 3 });
  return [0, 1, 2, 3].map((height) => headOf(chain.main.at(height)!)) as unknown as CanonicalChain;
}

describe('reconnect delay', () => {
  test.each([
    [0, 250],
    [1, 500],
    [6, 16_000],
    [7, 30_000],
    [1_000_000, 30_000],
  ])('backoff after %s consecutive failures is %s ms', (failures, ms) => {
    expect(backoffMs(failures, 250, 30_000)).toBe(ms);
  });

  test.each([
    ['the delay that the node requested', 2_000, 2_000],
    ['the maximum backoff when the node requested more', 86_400_000, 30_000],
    ['0 when the node requested none', undefined, 0],
  ])('requested retry delay is %s', (_case, retryAfterMs, ms) => {
    const detail = retryAfterMs === undefined ? {} : { retryAfterMs };
    expect(requestedRetryDelayMs(new GraphError('UPSTREAM_RATE_LIMITED', 'no', detail), FOLLOWER_TIMING)).toBe(ms);
    expect(requestedRetryDelayMs(undefined, FOLLOWER_TIMING)).toBe(0);
  });
});

test.each([
  ['an unknown duration', undefined, 30_000],
  ['2 s', blocksEvery(2), 30_000],
  ['12 s', blocksEvery(12), 60_000],
  ['an hour', blocksEvery(3_600), 120_000],
])('silence timeout for a block time of %s', (_case, canonical, ms) => {
  expect(silenceTimeoutMs(canonical, FOLLOWER_TIMING)).toBe(ms);
});

test.each([
  ['an unknown duration', undefined, 1_000],
  ['0 s', blocksEvery(0), 250],
  ['1 s', blocksEvery(1), 500],
  ['12 s', blocksEvery(12), 4_000],
])('poll interval for a block time of %s', (_case, canonical, ms) => {
  expect(pollIntervalMs(canonical, FOLLOWER_TIMING)).toBe(ms);
});
