import { LRUCache } from 'lru-cache';
import { readTransaction } from '../../ethereum/block-results.ts';
import { type Data, toData } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { GraphError } from '../../lib/errors.ts';
import type { ResultReader, RpcCall, RpcSender } from '../../upstream/rpc/rpc-call.ts';

/** Number of recent hashes by which duplicates are detected. */
const MAX_SEEN_HASHES = 32_768;
/** Maximum number of queued hashes; the oldest are dropped. */
const MAX_QUEUED_HASHES = 4_096;

/**
 * Creates a reader that emits announced pending transactions as full transactions, without duplicates. Calls `onRead` after each batch of reads: with an
 * error when all of its calls failed, else with undefined.
 */
export function createPendingReader(
  emit: (transaction: RpcTransaction) => void,
  onRead: (error: GraphError | undefined) => void,
) {
  const seen = new LRUCache<Data, true>({ max: MAX_SEEN_HASHES });
  let queue: { readonly hash: Data; readonly source: RpcSender; readonly signal: AbortSignal }[] = [];
  let isReading = false;

  /** Sends one batch at a time: hashes that are announced meanwhile join the next batch. */
  const readQueue = async (): Promise<void> => {
    while (queue.length > 0) {
      const { source, signal } = queue[0]!;
      const hashes = queue.filter((queued) => queued.source === source).map(({ hash }) => hash);
      queue = queue.filter((queued) => queued.source !== source);
      const outcomes = signal.aborted ? [] : await source.send(hashes.map(transactionCall), signal);
      const failures = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
      if (!signal.aborted) onRead(failures.length === hashes.length ? failures[0] : undefined);
      for (const outcome of outcomes) {
        if (!signal.aborted && 'result' in outcome && isFullTransaction(outcome.result)) emit(outcome.result);
      }
    }
    isReading = false;
  };

  return {
    /** Emits announced full transactions synchronously; reads those announced by hash from `source`. */
    addAnnounced(announced: readonly unknown[], source: RpcSender, signal: AbortSignal): void {
      for (const entry of announced) {
        const hash = toData(isFullTransaction(entry) ? entry.hash : entry, 32);
        if (hash === undefined || seen.has(hash)) continue;
        seen.set(hash, true);
        if (isFullTransaction(entry)) emit(entry);
        else queue.push({ hash, source, signal });
      }
      queue = queue.slice(-MAX_QUEUED_HASHES);
      if (isReading || queue.length === 0) return;
      isReading = true;
      setImmediate(() => void readQueue());
    },
  };
}

const TRANSACTION_READER = { read: readTransaction } as ResultReader;

const transactionCall = (hash: Data): RpcCall => ({
  method: 'eth_getTransactionByHash',
  params: [hash],
  reader: TRANSACTION_READER,
  args: [hash],
});

const isFullTransaction = (value: unknown): value is RpcTransaction =>
  typeof value === 'object' &&
  value !== null &&
  'hash' in value &&
  toData(value.hash, 32) !== undefined &&
  isValidTransaction(value);

function isValidTransaction(value: { readonly hash: unknown }): boolean {
  try {
    return readTransaction(value, value.hash as Data) !== null;
  } catch {
    return false;
  }
}
