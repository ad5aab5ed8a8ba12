import { LRUCache } from 'lru-cache';
import { readTransaction } from '../../ethereum/block-results.ts';
import { type Data, toData } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import { asPending } from '../../ethereum/transaction-values.ts';
import type { GraphError } from '../../lib/errors.ts';
import { type RpcMethod, type RpcSender, toRpcCall } from '../../upstream/rpc/rpc-call.ts';

/** Number of recent hashes by which duplicates are detected. */
const MAX_SEEN_HASHES = 32_768;
/** Maximum number of queued hashes; the oldest are dropped. */
const MAX_QUEUED_HASHES = 4_096;

/**
 * Creates a reader that emits announced pending transactions as full transactions, without duplicates. Calls `onRead` after each batch of reads: with an
 * error when all of its calls failed, else with undefined.
 */
export function createAnnouncementReader(emit: (transaction: RpcTransaction) => void, onRead: (error?: GraphError) => void) {
  /** Limited by size, because with `max` its arrays have their full length at once, which takes eight milliseconds. */
  const seen = new LRUCache<Data, true>({ maxSize: MAX_SEEN_HASHES, sizeCalculation: () => 1 });
  let queue: { readonly hash: Data; readonly source: RpcSender; readonly signal: AbortSignal }[] = [];
  let isReading = false;

  /** Sends one batch at a time: hashes that are announced meanwhile join the next batch. */
  const readQueue = async (): Promise<void> => {
    while (queue.length > 0) {
      const { source, signal } = queue[0]!;
      const calls = queue.filter((queued) => queued.source === source).map(({ hash }) => toRpcCall(transactionBy, hash));
      queue = queue.filter((queued) => queued.source !== source);
      const outcomes = signal.aborted ? [] : await source.send(calls, signal);
      const failures = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
      if (!signal.aborted) onRead(failures.length === calls.length ? failures[0] : undefined);
      for (const outcome of outcomes) {
        if (!signal.aborted && 'result' in outcome && outcome.result !== null) emit(outcome.result as RpcTransaction);
      }
    }
    isReading = false;
  };

  return {
    /** Emits announced full transactions synchronously; reads transactions announced by hash from `source`. */
    add(announced: readonly unknown[], source: RpcSender, signal: AbortSignal): void {
      for (const entry of announced) {
        const transaction = fullTransactionOf(entry);
        const hash = toData(transaction ? transaction.hash : entry, 32);
        if (hash === undefined || seen.has(hash)) continue;
        seen.set(hash, true);
        if (transaction) emit(transaction);
        else queue.push({ hash, source, signal });
      }
      queue = queue.slice(-MAX_QUEUED_HASHES);
      if (isReading || queue.length === 0) return;
      isReading = true;
      setImmediate(() => void readQueue());
    },
  };
}

const transactionBy: RpcMethod<[hash: Data], RpcTransaction | null> = { name: 'eth_getTransactionByHash', read: readTransaction };

/** The transaction of an announcement; undefined for a hash, and for a malformed transaction. */
function fullTransactionOf(value: unknown): RpcTransaction | undefined {
  const hash = toData((value as { readonly hash?: unknown } | null)?.hash, 32);
  try {
    return hash === undefined ? undefined : asPending(readTransaction(value, hash)!);
  } catch {
    return undefined;
  }
}
