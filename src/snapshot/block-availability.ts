import { setImmediate } from 'node:timers/promises';
import { type Data, sameData, toData, toQuantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import { abortableSleep } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import type { Operation } from '../operation/operation.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import { type RpcCall, type RpcMethod, type RpcOutcome, type RpcSender, toRpcCall } from '../upstream/rpc/rpc-call.ts';
import { hasCode } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { blockBy } from './state-methods.ts';

/** Tags other than `latest` at which state can be read. */
const TAGS: ReadonlySet<string> = new Set(['earliest', 'pending']);

/** Encodes the block of an account's state as the federation key field `_at`; null for the head of the subgraph that resolves the key. */
export const encodeAtKey = (at: BlockRef): string | null => (at === 'latest' ? null : at);

/** Decodes the key field `_at` to a hash, a height or a tag. Throws BAD_USER_INPUT for any other value. */
export function decodeAtKey(key: string | null | undefined): BlockRef {
  if (key === null || key === undefined) return 'latest';
  const ref = TAGS.has(key) ? key : (toData(key, 32) ?? toQuantity(key, 64));
  if (ref !== undefined) return ref;
  throw new GraphError('BAD_USER_INPUT', 'Invalid `_at` in a reference. Pass the hash or the height of a block as 0x-hex.');
}

/** Timeout for a block that the node, or another backend behind the same address, has announced. */
const BLOCK_WAIT_TIMEOUT_MS = 2_000;
/** Minimum number of searches for a block, also after the timeout: a node that responds slowly need not lag. */
const MIN_SEARCHES = 6;
const MIN_RETRY_DELAY_MS = 40;
const MAX_RETRY_DELAY_MS = 400;
/**
 * Number of consecutive reads after a backend has returned the block, because a load balancer may send the first read
 * to a backend without the block.
 */
const MAX_READS_PER_ATTEMPT = 2;

/** Whether an error means that the node does not have the block yet. */
export const isBlockMissing = (error: unknown): error is GraphError =>
  hasCode(error, 'BLOCK_NOT_AVAILABLE') && error.extensions.retryable === true;

/** The error when a reorg has changed the chain between two reads of one operation. */
export const chainChangedError = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'A reorg changed the chain while the operation was running. Send the operation again.');

/** The error for data that the node returned from a branch other than the branch of the operation's head. */
export function otherBranchError() {
  const problem = 'The node returned data of another branch of the chain than this operation reads.';
  return new GraphError('BLOCK_NOT_AVAILABLE', `${problem} Send the operation again.`);
}

/** Throws the error for a block that a field needs and the node lacks. A retry does not return a block above the next one. */
export function throwBlockMissing(isBeyondNextBlock = false): never {
  const details = isBeyondNextBlock ? { retryable: false } : {};
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block that this field reads.', details);
}

/**
 * Creates one operation's reads at canonical blocks from a node that may lag behind them, or may have followed another branch. Checks of one
 * block in one tick share one call.
 */
export function createBlockAvailability(
  sender: RpcSender,
  calls: OperationCalls,
  pin: PinnedBlock,
  { signal, budget }: Pick<Operation, 'signal' | 'budget'>,
) {
  const pendingSearches = new Map<Data, Promise<unknown>>();
  const pendingHeightChecks = new Map<Data, Promise<void>>();
  /** By block: the time when all reads of this operation stop waiting for it, and the number of searches so far. */
  const waits = new Map<Data, { readonly deadline: number; searches: number }>();

  const blockCall = (ref: string) => toRpcCall(blockBy, ref, false);

  const send = (checks: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    budget?.addCost(checks.length);
    return sender.send(checks, signal);
  };

  const requestBlock = async (ref: string): Promise<unknown> => {
    const [outcome] = await send([blockCall(ref)]);
    return blockOrNull(outcome);
  };

  /** Repeats a read with growing delays until its result is not null. */
  const retry = async <R>(hash: Data, read: () => Promise<R>): Promise<NonNullable<R>> => {
    const wait = waits.get(hash) ?? { deadline: performance.now() + BLOCK_WAIT_TIMEOUT_MS, searches: 0 };
    waits.set(hash, wait);
    for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs = Math.min(MAX_RETRY_DELAY_MS, delayMs * 2)) {
      const result = await read();
      if (result !== null && result !== undefined) return result;
      pin.assertHeadCanonical();
      wait.searches++;
      if (performance.now() + delayMs > wait.deadline && wait.searches >= MIN_SEARCHES) {
        throw new GraphError('STALE_UPSTREAM', 'The node lags behind the block that this operation reads.');
      }
      if (!(await abortableSleep(delayMs, signal))) throw signal.reason;
    }
  };

  const waitForBlock = (hash: Data): Promise<unknown> => {
    const search = pendingSearches.get(hash) ?? retry(hash, () => requestBlock(hash)).finally(() => pendingSearches.delete(hash));
    pendingSearches.set(hash, search);
    return search;
  };

  /**
   * Repeats `read` until its result is not null, each time after the node has returned the block. Reads at one block
   * share the search for it. Rejects with STALE_UPSTREAM after two seconds and six searches, and with the errors of
   * `PinnedBlock.assertHeadCanonical`.
   */
  const retryUntilAvailable = <R>(hash: Data, read: () => Promise<R>): Promise<NonNullable<R>> =>
    retry(hash, async () => {
      await waitForBlock(hash);
      for (let readCount = 0; readCount < MAX_READS_PER_ATTEMPT; readCount++) {
        const result = await read().catch(nullIfBlockMissing);
        if (result !== null) return result;
      }
      return null;
    });

  return {
    retryUntilAvailable,
    /** Reads at a block; retries as `retryUntilAvailable` does when the node lacks a canonical block. */
    async readAt<P extends readonly unknown[], R>(hash: Data, method: RpcMethod<P, R>, ...args: P): Promise<R> {
      try {
        const result = await calls.call(method, ...args);
        if (result !== null || !pin.header(hash)) return result;
      } catch (error) {
        if (!isBlockMissing(error) || !pin.header(hash)) throw error;
      }
      return retryUntilAvailable(hash, () => calls.refetch(method, ...args));
    },
    /**
     * Sends a call together with a search for the block, so that null means that the entity does not exist. Rejects as
     * `retryUntilAvailable` does.
     */
    async readWithBlock<R>(hash: Data, method: RpcMethod<[Data], R>, arg: Data): Promise<R> {
      const { value } = await retry(hash, async () => {
        // One request, so that one backend serves both calls.
        const [outcome, block] = await send([toRpcCall(method, arg), blockCall(hash)]);
        if ('error' in outcome!) throw outcome.error;
        // The reader of the call returned this result.
        return blockOrNull(block) === null ? null : { value: outcome!.result as R };
      });
      return value;
    },
    /**
     * Resolves when a request sent after this call finds this block at the height; else rejects with
     * BLOCK_NOT_AVAILABLE.
     */
    assertBlockAtHeight(number: string, hash: Data): Promise<void> {
      const checkAtEndOfTurn = async () => {
        await setImmediate();
        // A read that starts after this request needs a new check.
        pendingHeightChecks.delete(hash);
        const block = await requestBlock(number);
        if (!sameData((block as { hash?: unknown } | null)?.hash, hash)) throw chainChangedError();
      };
      const check = pendingHeightChecks.get(hash) ?? checkAtEndOfTurn();
      pendingHeightChecks.set(hash, check);
      return check;
    },
  };
}

export type BlockAvailability = ReturnType<typeof createBlockAvailability>;

/** The block of an outcome; null when the node lacks it. Throws any other error. */
function blockOrNull(outcome: RpcOutcome | undefined): unknown {
  if (outcome && 'error' in outcome && outcome.error.code !== 'BLOCK_NOT_AVAILABLE') throw outcome.error;
  return outcome && 'result' in outcome ? outcome.result : null;
}

/** Returns null for an error that means that the node does not have the block yet; rethrows any other error. */
export function nullIfBlockMissing(error: unknown): null {
  if (isBlockMissing(error)) return null;
  throw error;
}
