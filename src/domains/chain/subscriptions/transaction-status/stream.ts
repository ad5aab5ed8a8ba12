import type { Data } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import type { SourceEventBatch, SourceStream } from '../../../../graphql/stream.ts';
import { type Cancellation, Sleeper } from '../../../../lib/abort.ts';
import { GraphError } from '../../../../lib/errors.ts';
import { MAX_CONFIRMATIONS } from '../../settings.ts';
import {
  isSameUpdate,
  isTerminal,
  type ReportedStates,
  type StatusUpdate,
  statusUpdateOf,
  type TransactionStatusAtHead,
} from './status.ts';
import type { TransactionWatcher } from './watcher.ts';

/** Root value of one `transactionStatus` event. */
export type TransactionStatusRoot = { readonly transactionStatus: StatusUpdate };

/**
 * Streams the status of a transaction until it is terminal. Each subscriber first receives the current status, then all receive each change. Throws
 * BAD_USER_INPUT for a number of confirmations below 1 or above MAX_CONFIRMATIONS. Source: the shared `TransactionWatcher`.
 */
export function transactionStatus(
  watcher: TransactionWatcher,
  hash: Data,
  confirmations: number,
  minHeight?: number,
): SourceStream<TransactionStatusRoot> {
  if (confirmations < 1 || confirmations > MAX_CONFIRMATIONS) {
    const message = `Invalid \`confirmations\`. Pass a number from 1 to ${MAX_CONFIRMATIONS}.`;
    throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_CONFIRMATIONS, actual: confirmations });
  }
  const updateAt = ({ observed, head }: TransactionStatusAtHead) => statusUpdateOf(hash, observed, head, confirmations);
  const batchOf = (update: StatusUpdate, { head }: TransactionStatusAtHead): SourceEventBatch<TransactionStatusRoot> => [
    { root: { transactionStatus: update }, block: head.hash },
  ];

  return {
    subscribe({ next, end }) {
      const before = watcher.watched(hash);
      let lastUpdate = before?.lastReported && updateAt(before.lastReported);
      const finish = (): void => {
        stop();
        end();
      };
      const stop = watcher.watch(hash, {
        next(status) {
          const update = updateAt(status);
          // The first update reaches each subscriber through its backlog.
          if (lastUpdate && !isSameUpdate(lastUpdate, update)) next(batchOf(update, status));
          lastUpdate = update;
          if (isTerminal(update)) finish();
        },
        end,
      });
      if (lastUpdate && isTerminal(lastUpdate) && !before!.hasUnreportedChange) queueMicrotask(finish);
      return stop;
    },

    backlog() {
      const watched = watcher.watched(hash)!;
      return currentStatus(watched, watched.lastReported, watcher.currentStatus(hash, minHeight));
    },
  };

  async function* currentStatus(
    watched: ReportedStates,
    before: TransactionStatusAtHead | undefined,
    pendingStatus: Promise<TransactionStatusAtHead>,
  ) {
    const status = await pendingStatus;
    const update = updateAt(status);
    // A change since then reaches this subscriber through the live stream, which does not send the first report.
    const known = before ?? watched.firstReported!;
    if (isSameUpdate(updateAt(known), update)) yield batchOf(update, status);
  }
}

/**
 * Resolves with a transaction as soon as it is in a canonical block. Resolves with null after `waitMs`, when the signal
 * aborts, when the transaction is REPLACED or DROPPED, and when it cannot be watched: the transaction is submitted, so
 * none of these outcomes is an error. All waits and subscriptions share the lookups of the watcher.
 */
export function waitUntilMined(watcher: TransactionWatcher, hash: Data, waitMs: number, signal: Cancellation) {
  return new Promise<RpcTransaction | null>((resolve) => {
    let stopWatching = (): void => {};
    const sleeper = new Sleeper();
    const finish = (transaction: RpcTransaction | null): void => {
      sleeper.wake();
      stopWatching();
      resolve(transaction);
    };
    const giveUp = (): void => finish(null);
    const onStatus = ({ observed }: TransactionStatusAtHead): void => {
      if (observed.status === 'MINED') finish(observed.transaction!);
      else if (isTerminal(observed)) giveUp();
    };
    sleeper.sleep(waitMs, signal).then(giveUp);
    try {
      stopWatching = watcher.watch(hash, { next: onStatus, end: giveUp });
    } catch {
      return giveUp();
    }
    // A failed lookup is repeated.
    watcher.currentStatus(hash).then(onStatus, () => {});
  });
}
