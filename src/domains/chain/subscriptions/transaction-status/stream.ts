import { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import type { SourceEventBatch, SourceStream } from '../../../../graphql/stream.ts';
import { isSameUpdate, isTerminal, type StatusUpdate, statusUpdateOf } from './status.ts';
import type { TransactionStatusAtHead } from './watched-transaction.ts';
import type { TransactionWatcher } from './watcher.ts';

export interface TransactionStatusRoot {
  readonly transactionStatus: StatusUpdate;
}

/** So deep a block can be asked to lie; far less than what the feed remembers. */
export const MAX_CONFIRMATIONS = 64;

/**
 * How a transaction fares, up to so many confirmations. Each subscriber gets first how it stands, then all get what changes; ends when nothing
 * more can come. Throws BAD_USER_INPUT for a number of confirmations that is not watched for. Source: the shared watch.
 */
export function transactionStatus(watch: TransactionWatcher, hash: Data, wanted: number): SourceStream<TransactionStatusRoot> {
  if (wanted < 1 || wanted > MAX_CONFIRMATIONS) {
    throw new GraphError('BAD_USER_INPUT', `A transaction is watched for 1 to ${MAX_CONFIRMATIONS} confirmations.`, {
      limit: MAX_CONFIRMATIONS,
      actual: wanted,
    });
  }
  const updateAt = ({ observed, head }: TransactionStatusAtHead): StatusUpdate => statusUpdateOf(hash, observed, head, wanted);
  const batchOf = (update: StatusUpdate, { head }: TransactionStatusAtHead): SourceEventBatch<TransactionStatusRoot> => [
    { root: { transactionStatus: update }, block: head.hash },
  ];

  return {
    subscribe({ next, end }) {
      const known = watch.lastReported(hash);
      let told = known && updateAt(known);
      let isEnded = false;
      const finish = (): void => {
        if (isEnded) return;
        stop();
        end();
      };
      const stopWatching = watch.watch(hash, {
        next(standing) {
          const update = updateAt(standing);
          // The first one is each subscriber's backlog.
          if (told && !isSameUpdate(told, update)) next(batchOf(update, standing));
          told = update;
          if (isTerminal(update)) finish();
        },
        end(error) {
          isEnded = true;
          end(error);
        },
      });
      const stop = (): void => {
        isEnded = true;
        stopWatching();
      };
      if (told && isTerminal(told)) queueMicrotask(finish);
      return stop;
    },

    backlog: () => present(watch.lastReported(hash), watch.currentStatus(hash)),
  };

  async function* present(before: TransactionStatusAtHead | undefined, standing: Promise<TransactionStatusAtHead>) {
    const at = await standing;
    const update = updateAt(at);
    // A change since `before` reaches this subscriber through the stream, as all others.
    if (!before || isSameUpdate(updateAt(before), update)) yield batchOf(update, at);
  }
}
