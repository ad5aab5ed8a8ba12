import type { GraphError } from '../../errors.ts';
import { readTransaction } from '../../ethereum/block-results.ts';
import type { Data } from '../../ethereum/hex.ts';
import { toData } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { ResultReader, RpcCall } from '../../upstream/rpc/rpc-call.ts';
import type { RpcSource } from '../head/rpc-queries.ts';

/** Takes what a node announces as pending, hashes or whole transactions, and tells each transaction once, whole. */
export interface PendingReader {
  /** Whole ones are told inside this call. Hashes are looked up over the way that they came by. */
  addAnnounced(announced: readonly unknown[], source: RpcSource, signal: AbortSignal): void;
}

/** So many are remembered, for what is announced again. */
const MAX_SEEN_HASHES = 32_768;
/** So many hashes wait while others are looked up; of more, the oldest go. */
const MAX_QUEUED_HASHES = 4_096;

/** `onLookUp` is called after each look-up of hashes: with the error when the node has answered none of them. */
export function createPendingReader(
  tell: (transaction: RpcTransaction) => void,
  onLookUp: (error: GraphError | undefined) => void,
): PendingReader {
  const seen = new Set<Data>();
  let waiting: { readonly hash: Data; readonly source: RpcSource; readonly signal: AbortSignal }[] = [];
  let busy = false;

  const isNew = (hash: Data): boolean => {
    if (seen.has(hash)) return false;
    seen.add(hash);
    if (seen.size > MAX_SEEN_HASHES) for (const oldest of seen) return seen.delete(oldest);
    return true;
  };

  /** One send at a time: what is announced meanwhile goes into the next one. */
  const lookUp = async (): Promise<void> => {
    while (waiting.length > 0) {
      const { source, signal } = waiting[0]!;
      const hashes = waiting.filter((one) => one.source === source).map(({ hash }) => hash);
      waiting = waiting.filter((one) => one.source !== source);
      const outcomes = signal.aborted ? [] : await source.send(hashes.map(transactionCall), signal);
      const failures = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
      if (!signal.aborted) onLookUp(failures.length === hashes.length ? failures[0] : undefined);
      for (const outcome of outcomes) {
        if (!signal.aborted && 'result' in outcome && isFullTransaction(outcome.result)) tell(outcome.result);
      }
    }
    busy = false;
  };

  return {
    addAnnounced(announced, source, signal) {
      for (const one of announced) {
        const hash = toData(isFullTransaction(one) ? one.hash : one, 32);
        if (hash === undefined || !isNew(hash)) continue;
        if (isFullTransaction(one)) tell(one);
        else waiting.push({ hash, source, signal });
      }
      waiting = waiting.slice(-MAX_QUEUED_HASHES);
      if (busy || waiting.length === 0) return;
      busy = true;
      setImmediate(() => void lookUp());
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
