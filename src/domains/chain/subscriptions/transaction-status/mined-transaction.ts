import type { Data } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import { isTerminal } from './status.ts';
import type { TransactionStatusAtHead } from './watched-transaction.ts';
import type { TransactionWatcher } from './watcher.ts';

/**
 * Resolves with a transaction as soon as it is in a canonical block. Resolves with null after `waitMs`, when the signal aborts, when the
 * transaction is REPLACED or DROPPED, and when it cannot be watched: the transaction is submitted, so none of these is an error. All
 * waits and subscriptions share the lookups of the watcher.
 */
export function waitUntilMined(
  watcher: TransactionWatcher,
  hash: Data,
  waitMs: number,
  signal: AbortSignal,
): Promise<RpcTransaction | null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    let stopWatching = (): void => {};
    const finish = (transaction: RpcTransaction | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      stopWatching();
      resolve(transaction);
    };
    const giveUp = (): void => finish(null);
    const timer = setTimeout(giveUp, waitMs);
    signal.addEventListener('abort', giveUp);
    const onStatus = ({ observed }: TransactionStatusAtHead): void => {
      if (observed.status === 'MINED') finish(observed.transaction!);
      else if (isTerminal(observed)) giveUp();
    };
    try {
      stopWatching = watcher.watch(hash, { next: onStatus, end: giveUp });
    } catch {
      return giveUp();
    }
    // A failed lookup is repeated.
    watcher.currentStatus(hash).then(onStatus, () => {});
  });
}
