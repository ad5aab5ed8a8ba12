import { GraphError } from '../errors.ts';
import { type Data, sameData } from '../ethereum/hex.ts';
import { abortableSleep } from '../upstream/abort.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { ResultReader, RpcCall, RpcOutcome } from '../upstream/rpc/rpc-call.ts';
import { paramsOf, type RpcMethod } from '../upstream/rpc/rpc-method.ts';
import { hasCode } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { blockBy } from './state-methods.ts';

/** What asks the node, past everything that the operation knows already. */
export interface RpcSender {
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
}

/** How long a node may lag behind the head that it, or another backend behind the same address, has announced. */
const BLOCK_WAIT_TIMEOUT_MS = 2_000;
const MIN_RETRY_DELAY_MS = 40;
const MAX_RETRY_DELAY_MS = 400;
/** How often a node is asked in a row once it has the block: of two backends that take turns, one may lack it. */
const MAX_READS_PER_ATTEMPT = 2;

/** Answers about blocks that are known to exist, from nodes that may not have come so far, or may have moved on. */
export interface BlockAvailability {
  /** Asks at a block, and again by `again` when the node lacks that block though it is known to be of the chain. */
  readAt<P extends readonly unknown[], R>(hash: Data, method: RpcMethod<P, R>, ...args: P): Promise<R>;
  /**
   * Asks again and again for what the node has said it lacks, by null or by an error; for all of one tick the block alone is looked for first.
   * Rejects with STALE_UPSTREAM when the node does not get it in time, and as `Pin.check` when the chain has left it.
   */
  retryUntilAvailable<R>(hash: Data, ask: () => Promise<R>): Promise<NonNullable<R>>;
  /** Asks a node that has the block: what it does not know then does not exist. Rejects as `again`. */
  readWithBlock<R>(hash: Data, method: RpcMethod<[Data], R>, arg: Data): Promise<R>;
  /** Resolves when the block of that height is still this one, asked after the call; rejects with BLOCK_NOT_AVAILABLE when it is not. */
  assertBlockAtHeight(number: string, hash: Data): Promise<void>;
}

/** Whether a node says that it lacks a block which it may get. */
export const isBlockMissing = (error: unknown): error is GraphError =>
  hasCode(error, 'BLOCK_NOT_AVAILABLE') && error.extensions.retryable === true;

/** One operation's presence checks; those of one tick about one block are one call. */
export function createBlockAvailability(
  asker: RpcSender,
  calls: OperationCalls,
  pin: PinnedBlock,
  signal: AbortSignal,
): BlockAvailability {
  const arriving = new Map<Data, Promise<void>>();
  const remaining = new Map<Data, Promise<void>>();
  /** Until when a block is waited for, by everything in this operation together. */
  const limits = new Map<Data, number>();

  const lookFor = (ref: string): RpcCall => ({
    method: blockMethodName(ref, false),
    params: [ref, false],
    reader: blockBy as ResultReader,
    args: [ref, false],
  });

  const ask = async (ref: string): Promise<unknown> => {
    const [outcome] = await asker.send([lookFor(ref)], signal);
    return found(outcome);
  };

  /** Looks at once, and then after longer and longer waits, until something is there. */
  const insist = async <R>(hash: Data, look: () => Promise<R>): Promise<NonNullable<R>> => {
    const until = limits.get(hash) ?? performance.now() + BLOCK_WAIT_TIMEOUT_MS;
    limits.set(hash, until);
    for (let waitMs = MIN_RETRY_DELAY_MS; ; waitMs = Math.min(MAX_RETRY_DELAY_MS, waitMs * 2)) {
      const seen = await look();
      if (seen !== null && seen !== undefined) return seen;
      pin.assertHeadCanonical();
      if (performance.now() + waitMs > until) {
        throw new GraphError('STALE_UPSTREAM', 'The node has not come as far as the block that this is answered from.');
      }
      if (!(await abortableSleep(waitMs, signal))) throw signal.reason;
    }
  };

  const arrived = (hash: Data): Promise<void> => {
    const known = arriving.get(hash);
    if (known) return known;
    const wait = insist(hash, () => ask(hash))
      .then(() => {})
      .finally(() => arriving.delete(hash));
    arriving.set(hash, wait);
    return wait;
  };

  const verify = async (number: string, hash: Data): Promise<void> => {
    const block = await ask(number);
    if (sameData((block as { hash?: unknown } | null)?.hash, hash)) return;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The chain was reorganised while this was being answered; ask again.');
  };

  const retryUntilAvailable: BlockAvailability['retryUntilAvailable'] = (hash, askAgain) =>
    insist(hash, async () => {
      await arrived(hash);
      for (let turn = 0; turn < MAX_READS_PER_ATTEMPT; turn++) {
        const seen = await askAgain().catch(nullIfBlockMissing);
        if (seen !== null) return seen;
      }
      return null;
    });

  return {
    retryUntilAvailable,
    async readAt(hash, method, ...args) {
      try {
        const seen = await calls.call(method, ...args);
        if (seen !== null || !pin.header(hash)) return seen;
      } catch (error) {
        if (!isBlockMissing(error) || !pin.header(hash)) throw error;
      }
      return retryUntilAvailable(hash, () => calls.refetch(method, ...args));
    },
    async readWithBlock<R>(hash: Data, asked: RpcMethod<[Data], R>, arg: Data) {
      const method = asked.name as string;
      const { value } = await insist(hash, async () => {
        // In one request, so that one backend answers both.
        const call = { method, params: paramsOf(asked, [arg]), reader: asked as ResultReader, args: [arg] };
        const [outcome, block] = await asker.send([call, lookFor(hash)], signal);
        if ('error' in outcome!) throw outcome.error;
        // The reader of the call gave the result.
        return found(block) === null ? null : { value: outcome!.result as R };
      });
      return value;
    },
    assertBlockAtHeight(number, hash) {
      const known = remaining.get(hash);
      if (known) return known;
      const check = new Promise<void>((resolve, reject) => {
        setImmediate(() => {
          // What is read from now on needs a check of its own.
          remaining.delete(hash);
          verify(number, hash).then(resolve, reject);
        });
      });
      remaining.set(hash, check);
      return check;
    },
  };
}

const blockMethodName = blockBy.name as (ref: string, full: boolean) => string;

/** What came of looking for a block; null when the node lacks it. */
function found(outcome: RpcOutcome | undefined): unknown {
  if (outcome && 'error' in outcome && outcome.error.code !== 'BLOCK_NOT_AVAILABLE') throw outcome.error;
  return outcome && 'result' in outcome ? outcome.result : null;
}

function nullIfBlockMissing(error: unknown): null {
  if (isBlockMissing(error)) return null;
  throw error;
}
