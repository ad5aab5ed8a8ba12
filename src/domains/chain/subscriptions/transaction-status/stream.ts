import { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import type { Batch, Stream } from '../../../../graphql/stream.ts';
import { isOver, isSame, type StatusUpdate, updateOf } from './status.ts';
import type { Standing } from './watched-transaction.ts';
import type { TransactionWatch } from './watcher.ts';

export interface TransactionStatuses {
  readonly transactionStatus: StatusUpdate;
}

/** So deep a block can be asked to lie; far less than what the feed remembers. */
export const MOST_CONFIRMATIONS = 64;

/**
 * How a transaction fares, up to so many confirmations. Each subscriber gets first how it stands, then all get what changes; ends when nothing
 * more can come. Throws BAD_USER_INPUT for a number of confirmations that is not watched for. Source: the shared watch.
 */
export function transactionStatus(watch: TransactionWatch, hash: Data, wanted: number): Stream<TransactionStatuses> {
  if (wanted < 1 || wanted > MOST_CONFIRMATIONS) {
    throw new GraphError('BAD_USER_INPUT', `A transaction is watched for 1 to ${MOST_CONFIRMATIONS} confirmations.`, {
      limit: MOST_CONFIRMATIONS,
      actual: wanted,
    });
  }
  const updateAt = ({ fate, head }: Standing): StatusUpdate => updateOf(hash, fate, head, wanted);
  const batchOf = (update: StatusUpdate, { head }: Standing): Batch<TransactionStatuses> => [
    { root: { transactionStatus: update }, block: head.hash },
  ];

  return {
    open({ next, end }) {
      const known = watch.known(hash);
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
          if (told && !isSame(told, update)) next(batchOf(update, standing));
          told = update;
          if (isOver(update)) finish();
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
      if (told && isOver(told)) queueMicrotask(finish);
      return stop;
    },

    backlog: () => present(watch.known(hash), watch.standing(hash)),
  };

  async function* present(before: Standing | undefined, standing: Promise<Standing>) {
    const at = await standing;
    const update = updateAt(at);
    // A change since `before` reaches this subscriber through the stream, as all others.
    if (!before || isSame(updateAt(before), update)) yield batchOf(update, at);
  }
}
