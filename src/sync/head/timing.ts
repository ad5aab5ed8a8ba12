import type { GraphError } from '../../lib/errors.ts';
import { type CanonicalChain, medianBlockTimeMs } from '../chain/canonical-chain.ts';

/** Timeouts and intervals of the follower and the chain feed, in milliseconds. */
export interface FollowerTiming {
  /** Reconnect backoff with full jitter: its upper bound doubles from the minimum to the maximum. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** Time without an announcement after which the node's head is read: five block times, within these bounds. */
  readonly minSilenceMs: number;
  readonly maxSilenceMs: number;
  /** Time for which a head stays fresh once no source confirms it. */
  readonly staleAfterMs: number;
  /** Delay before a block that the node did not have is requested again: doubles from the minimum to the maximum. */
  readonly minRecheckMs: number;
  readonly maxRecheckMs: number;
  /** Poll interval: half a block time, within these bounds. */
  readonly minPollIntervalMs: number;
  readonly maxPollIntervalMs: number;
  /** Interval at which polling checks the chain id: polling does not notice a replaced node by a disconnect, as a WebSocket does. */
  readonly chainCheckIntervalMs: number;
  /** Time without a WebSocket after which polling starts. */
  readonly pollingFallbackDelayMs: number;
  /** Delay before reconnecting to a WebSocket without `eth_subscribe`. */
  readonly unsupportedRetryMs: number;
  /** Interval of WebSocket pings. A dead connection is detected after 1.5 intervals. */
  readonly pingIntervalMs: number;
  /** Time for which the source of a subscription may fail before the subscription ends with the upstream's error. */
  readonly sourceTimeoutMs: number;
  /** Delay before a watched transaction that could not be read is requested again, unless a new head arrives first. */
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

/** Used until the block time is known. */
const DEFAULT_POLL_INTERVAL_MS = 1_000;

/** Returns the delay before the next connection, after a number of consecutive failures. `random` is in [0, 1). */
export const reconnectBackoffMs = (failures: number, { minBackoffMs, maxBackoffMs }: FollowerTiming, random: number): number =>
  random * Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(failures, 30));

/** Returns the delay that the node requested (`retryAfterMs` of its error), at most `maxBackoffMs`; 0 if none. */
export const requestedRetryDelayMs = (error: GraphError | undefined, { maxBackoffMs }: FollowerTiming): number =>
  Math.min(maxBackoffMs, Number(error?.extensions.retryAfterMs ?? 0));

/** Returns the delay before a missing block is requested again, after a number of consecutive misses. */
export const recheckDelayMs = (misses: number, { minRecheckMs, maxRecheckMs }: FollowerTiming): number =>
  Math.min(maxRecheckMs, minRecheckMs * 2 ** Math.min(misses, 30));

/** Returns the time without an announcement after which the node's head is read. */
export const silenceTimeoutMs = (canonical: CanonicalChain | undefined, { minSilenceMs, maxSilenceMs }: FollowerTiming): number =>
  Math.max(minSilenceMs, Math.min(maxSilenceMs, 5 * ((canonical && medianBlockTimeMs(canonical)) ?? 0)));

/** Returns the interval between two polls. */
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
