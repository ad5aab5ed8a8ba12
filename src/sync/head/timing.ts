import type { GraphError } from '../../errors.ts';
import { type CanonicalChain, medianBlockTimeMs } from '../chain/canonical-chain.ts';

/** How long the follower waits for what, in milliseconds. */
export interface FollowerTiming {
  /** Waits between connections are a random part of a span ("full jitter") that doubles from the first to the second of these. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** How long nothing may be heard of our head before the node is asked: so long or five block times, but not longer than the second. */
  readonly minSilenceMs: number;
  readonly maxSilenceMs: number;
  /** How long a head is still good when nobody can confirm it any more. */
  readonly staleAfterMs: number;
  /** How soon the node is asked again for what it did not have, doubling from the first to the second. */
  readonly minRecheckMs: number;
  readonly maxRecheckMs: number;
  /** Polls come every half block time, but not more often and not more seldom than this. */
  readonly minPollIntervalMs: number;
  readonly maxPollIntervalMs: number;
  /** How often a node that is polled is asked which chain it serves: nothing breaks off where that changes. */
  readonly chainCheckIntervalMs: number;
  /** How long a WebSocket may be away before polls stand in for it. */
  readonly pollingFallbackDelayMs: number;
  /** How soon a WebSocket that knows no subscriptions is tried again. */
  readonly unsupportedRetryMs: number;
  /** How often a WebSocket is asked for a sign of life; a dead one is noticed after one and a half of these. */
  readonly pingIntervalMs: number;
  /** How long the source of a subscription may fail before the subscription ends with the upstream's error. */
  readonly sourceTimeoutMs: number;
  /** How soon a watched transaction that could not be read is requested again, where no new head comes before. */
  readonly sourceRetryMs: number;
}

export const FOLLOWER_TIMING: FollowerTiming = {
  minBackoffMs: 250,
  maxBackoffMs: 30_000,
  minSilenceMs: 30_000,
  maxSilenceMs: 120_000,
  staleAfterMs: 2_000,
  minRecheckMs: 100,
  maxRecheckMs: 4_000,
  minPollIntervalMs: 250,
  maxPollIntervalMs: 4_000,
  chainCheckIntervalMs: 10_000,
  pollingFallbackDelayMs: 1_000,
  unsupportedRetryMs: 300_000,
  pingIntervalMs: 4_000,
  sourceTimeoutMs: 120_000,
  sourceRetryMs: 5_000,
};

/** While no block time is known. */
const DEFAULT_POLL_INTERVAL_MS = 1_000;

/** The wait before a connection, after so many failures in a row; `random` is in [0, 1). */
export const reconnectBackoffMs = (failures: number, { minBackoffMs, maxBackoffMs }: FollowerTiming, random: number): number =>
  random * Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(failures, 30));

/** How long the node wants to be left alone, within reason. */
export const requestedRetryDelayMs = (error: GraphError | undefined, { maxBackoffMs }: FollowerTiming): number =>
  Math.min(maxBackoffMs, Number(error?.extensions.retryAfterMs ?? 0));

/** The wait before the node is asked again, after so many answers that it did not have something. */
export const recheckDelayMs = (misses: number, { minRecheckMs, maxRecheckMs }: FollowerTiming): number =>
  Math.min(maxRecheckMs, minRecheckMs * 2 ** Math.min(misses, 30));

/** How long it may be silent about our head. */
export const silenceTimeoutMs = (canonical: CanonicalChain | undefined, { minSilenceMs, maxSilenceMs }: FollowerTiming): number =>
  Math.max(minSilenceMs, Math.min(maxSilenceMs, 5 * ((canonical && medianBlockTimeMs(canonical)) ?? 0)));

/** The wait between two polls. */
export function pollIntervalMs(
  canonical: CanonicalChain | undefined,
  { minPollIntervalMs, maxPollIntervalMs }: FollowerTiming,
): number {
  const blockTime = canonical && medianBlockTimeMs(canonical);
  return Math.min(
    maxPollIntervalMs,
    Math.max(minPollIntervalMs, blockTime === undefined ? DEFAULT_POLL_INTERVAL_MS : blockTime / 2),
  );
}
