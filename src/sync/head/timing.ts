import type { GraphError } from '../../errors.ts';
import { blockTimeOf, type Canonical } from '../chain/canonical-chain.ts';

/** How long the follower waits for what, in milliseconds. */
export interface Timing {
  /** Waits between connections are a random part of a span ("full jitter") that doubles from the first to the second of these. */
  readonly backoffFirst: number;
  readonly backoffMost: number;
  /** How long nothing may be heard of our head before the node is asked: so long or five block times, but not longer than the second. */
  readonly silence: number;
  readonly silenceMost: number;
  /** How long a head is still good when nobody can confirm it any more. */
  readonly staleAfter: number;
  /** How soon the node is asked again for what it did not have, doubling from the first to the second. */
  readonly recheckFirst: number;
  readonly recheckMost: number;
  /** Polls come every half block time, but not more often and not more seldom than this. */
  readonly pollLeast: number;
  readonly pollMost: number;
  /** How often a node that is polled is asked which chain it serves: nothing breaks off where that changes. */
  readonly chainEvery: number;
  /** How long a WebSocket may be away before polls stand in for it. */
  readonly standIn: number;
  /** How soon a WebSocket that knows no subscriptions is tried again. */
  readonly unsupported: number;
  /** How often a WebSocket is asked for a sign of life; a dead one is noticed after one and a half of these. */
  readonly ping: number;
  /** How long the source of a subscription may fail before the subscription ends with the upstream's error. */
  readonly sourceEnd: number;
  /** How soon a watched transaction that could not be read is requested again, where no new head comes before. */
  readonly sourceRetry: number;
}

export const TIMING: Timing = {
  backoffFirst: 250,
  backoffMost: 30_000,
  silence: 30_000,
  silenceMost: 120_000,
  staleAfter: 2_000,
  recheckFirst: 100,
  recheckMost: 4_000,
  pollLeast: 250,
  pollMost: 4_000,
  chainEvery: 10_000,
  standIn: 1_000,
  unsupported: 300_000,
  ping: 4_000,
  sourceEnd: 120_000,
  sourceRetry: 5_000,
};

/** While no block time is known. */
const FIRST_POLLS = 1_000;

/** The wait before a connection, after so many failures in a row; `random` is in [0, 1). */
export const backoffAfter = (failures: number, { backoffFirst, backoffMost }: Timing, random: number): number =>
  random * Math.min(backoffMost, backoffFirst * 2 ** Math.min(failures, 30));

/** How long the node wants to be left alone, within reason. */
export const retryAfter = (error: GraphError | undefined, { backoffMost }: Timing): number =>
  Math.min(backoffMost, Number(error?.extensions.retryAfterMs ?? 0));

/** The wait before the node is asked again, after so many answers that it did not have something. */
export const recheckAfter = (misses: number, { recheckFirst, recheckMost }: Timing): number =>
  Math.min(recheckMost, recheckFirst * 2 ** Math.min(misses, 30));

/** How long it may be silent about our head. */
export const silenceOf = (canonical: Canonical | undefined, { silence, silenceMost }: Timing): number =>
  Math.max(silence, Math.min(silenceMost, 5 * ((canonical && blockTimeOf(canonical)) ?? 0)));

/** The wait between two polls. */
export function pollEvery(canonical: Canonical | undefined, { pollLeast, pollMost }: Timing): number {
  const blockTime = canonical && blockTimeOf(canonical);
  return Math.min(pollMost, Math.max(pollLeast, blockTime === undefined ? FIRST_POLLS : blockTime / 2));
}
