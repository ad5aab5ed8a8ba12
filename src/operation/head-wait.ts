import { quantityOf } from '../ethereum/hex.ts';
import { type Cancellation, Sleeper } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import { medianBlockTimeMs } from '../sync/chain/canonical-chain.ts';
import type { Follower, Head } from '../sync/head/follower.ts';

/** The head that operations wait for. */
export type FollowedHead = Pick<Follower, 'head' | 'window' | 'onFreshHead'> & Partial<Pick<Follower, 'pendingHead' | 'ended'>>;

/** Number of block times that an operation waits for its block. */
const WAITED_BLOCKS = 2;
/** Block time until the follower knows the block time of the chain: the slot time of Ethereum. */
const DEFAULT_BLOCK_TIME_MS = 12_000;
/** Timestamps of blocks have a resolution of one second, so a shorter block time is measured as 0. */
const MIN_BLOCK_TIME_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Maximum share of the operation's timeout that the wait takes; the rest is for the execution. */
const MAX_WAIT_SHARE = 0.8;

/** Returns how long an operation waits for its block, in milliseconds: two block times, at most 30 s and 80 % of its timeout. */
export function maxWaitMs(window: Follower['window'], operationTimeoutMs: number): number {
  const blockTimeMs = Math.max(MIN_BLOCK_TIME_MS, (window && medianBlockTimeMs(window)) ?? DEFAULT_BLOCK_TIME_MS);
  return Math.min(WAITED_BLOCKS * blockTimeMs, MAX_WAIT_MS, MAX_WAIT_SHARE * operationTimeoutMs);
}

/**
 * Creates a function that resolves with the head once its height is at least `minBlock`. Rejects with BLOCK_NOT_YET when the wait is over, or with
 * the reason of the signal.
 */
export const createHeadWait =
  (follower: FollowedHead, operationTimeoutMs: number) =>
  async (minBlock: bigint, signal: Cancellation): Promise<Head> => {
    const reachedHead = (): Head | undefined => (follower.head && follower.head.height >= minBlock ? follower.head : undefined);
    let head = reachedHead();
    if (head) return head;
    const sleeper = new Sleeper();
    const unsubscribe = follower.onFreshHead(() => {
      head ??= reachedHead();
      if (head) sleeper.wake();
    });
    await sleeper.sleep(maxWaitMs(follower.window, operationTimeoutMs), signal);
    unsubscribe();
    if (head) return head;
    throw signal.aborted ? signal.reason : blockNotYetError(minBlock, follower.head);
  };

function blockNotYetError(minBlock: bigint, head: Head | undefined): GraphError {
  const current = head ? `The head is block ${head.height}` : 'The head is unknown';
  const detail = { minBlock: quantityOf(minBlock), ...(head && { height: head.number }) };
  return new GraphError('BLOCK_NOT_YET', `${current}, and the request requires block ${minBlock}. Send it again later.`, detail);
}
