import type { Data } from '../../ethereum/hex.ts';
import type { GraphError } from '../../lib/errors.ts';
import { retryAfterMsOf } from '../../lib/retry.ts';
import { type CanonicalChain, medianBlockTimeMs } from '../chain/canonical-chain.ts';

/** Timeouts and intervals of the follower and the chain feed, in milliseconds. */
export const FOLLOWER_TIMING = {
  /** Reconnect backoff with full jitter: its upper bound doubles from the minimum to the maximum. */
  minBackoffMs: 250,
  maxBackoffMs: 30_000,
  /**
   * Time without an announcement after which the node's head is read: the time is five block times, within these
   * bounds.
   */
  minSilenceMs: 30_000,
  maxSilenceMs: 120_000,
  /** Time for which a head stays fresh once no source confirms it. */
  staleAfterMs: 2_000,
  /** Delay before a block that the node did not have is requested again: doubles from the minimum to the maximum. */
  minRecheckMs: 100,
  maxRecheckMs: 4_000,
  /** Poll interval: half a block time, within these bounds. */
  minPollIntervalMs: 250,
  maxPollIntervalMs: 4_000,
  /** Maximum delay of a poll that waits for the next block: a failure or a reorg is noticed within this time. */
  maxScheduledPollMs: 15_000,
  /**
   * Minimum interval at which polling checks the chain id. A WebSocket disconnects when the node is replaced; polling has no
   * such signal.
   */
  chainCheckIntervalMs: 10_000,
  /** Time without a WebSocket after which polling starts. */
  pollingFallbackDelayMs: 1_000,
  /** Delay before a node that rejects the credentials of this server is read again: its operator may renew them. */
  rejectedRetryMs: 10_000,
  /** Delay before reconnecting to a WebSocket without `eth_subscribe`. */
  unsupportedRetryMs: 300_000,
  /** Interval of WebSocket pings. A dead connection is detected after 1.5 intervals. */
  pingIntervalMs: 4_000,
  /** Time for which the source of a subscription may fail before the subscription ends with the upstream's error. */
  sourceTimeoutMs: 120_000,
  /** Delay before a watched transaction that could not be read is requested again, unless a new head arrives first. */
  sourceRetryMs: 5_000,
};

export type FollowerTiming = Readonly<typeof FOLLOWER_TIMING>;

/** Poll interval until the block time is known. */
const DEFAULT_POLL_INTERVAL_MS = 1_000;

/** Returns the delay after a number of consecutive failures: doubles from the minimum to the maximum. */
export const backoffMs = (failures: number, minMs: number, maxMs: number): number =>
  Math.min(maxMs, minMs * 2 ** Math.min(failures, 30));

/**
 * Returns the delay that the node requested (`retryAfterMs` of its error), at most `maxBackoffMs`, or the delay after
 * rejected credentials; 0 for any other error.
 */
export const requestedRetryDelayMs = (error: GraphError | undefined, timing: FollowerTiming): number =>
  error?.code === 'UPSTREAM_AUTH' ? timing.rejectedRetryMs : Math.min(timing.maxBackoffMs, error ? retryAfterMsOf(error) : 0);

/** Returns the time without an announcement after which the node's head is read. */
export const silenceTimeoutMs = (canonical: CanonicalChain | undefined, { minSilenceMs, maxSilenceMs }: FollowerTiming): number =>
  Math.max(minSilenceMs, Math.min(maxSilenceMs, 5 * ((canonical && medianBlockTimeMs(canonical)) ?? 0)));

/** Part of the intervals of a chain that are equal if its next block is predictable: Ethereum has a block in most of its slots. */
const REGULAR_PART = 0.9;
/** Timestamps in seconds do not measure a shorter block time. */
const MIN_REGULAR_MS = 2_000;

/** Plans the polls of a chain. If its blocks arrive in equal intervals, it is polled when the next block is due, which takes the fewest calls. */
export class PollSchedule {
  #head: Data | undefined;
  /** The head has appeared between these times. */
  #from = Number.NEGATIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #polledAt = Number.NEGATIVE_INFINITY;
  #isSteady = false;

  /** Returns the delay after a poll at the time `now` that has returned this chain. */
  delayMs(canonical: CanonicalChain | undefined, now: number, timing: FollowerTiming): number {
    const blockTime = canonical && medianBlockTimeMs(canonical, REGULAR_PART);
    const head = canonical?.at(-1)?.hash;
    if (head !== this.#head) {
      this.#isSteady = blockTime !== undefined && Math.abs(now - this.#to - blockTime) <= blockTime / 2;
      this.#from = Math.min(now, this.#isSteady ? Math.max(this.#polledAt, this.#from + blockTime!) : this.#polledAt);
      this.#to = now;
      this.#head = head;
    }
    this.#polledAt = now;
    const intervalMs = pollIntervalMs(canonical, timing);
    if (!this.#isSteady || blockTime === undefined || blockTime < MIN_REGULAR_MS) return intervalMs;
    // A little early, because otherwise no poll would find out that the blocks arrive earlier than assumed.
    const dueMs = (this.#from + this.#to) / 2 + (blockTime * 63) / 64 - now;
    const overdueMs = Math.max(timing.minPollIntervalMs, blockTime / 8, -dueMs);
    return dueMs > 0 ? Math.min(dueMs, timing.maxScheduledPollMs) : Math.min(intervalMs, overdueMs);
  }
}

/** Returns the interval between two polls of a chain whose next block is not predictable. */
export function pollIntervalMs(canonical: CanonicalChain | undefined, { minPollIntervalMs, maxPollIntervalMs }: FollowerTiming) {
  const blockTime = canonical && medianBlockTimeMs(canonical);
  const wantedMs = blockTime === undefined ? DEFAULT_POLL_INTERVAL_MS : blockTime / 2;
  return Math.min(maxPollIntervalMs, Math.max(minPollIntervalMs, wantedMs));
}
