import { type Data, toBigInt } from '../../../ethereum/hex.ts';
import { OperationBudget } from '../../../lib/operation-budget.ts';
import { transactionBy, transactionCountOf } from '../rpc-methods.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import { readTip } from './derived-blocks.ts';
import type { DerivedNotification } from './derived-notification.ts';
import { droppedNotifications } from './notifications.ts';
import { type NotifierOptions, notify } from './notifier.ts';
import type { ActiveRegistrations } from './options.ts';
import type { ReadChain } from './upstream-calls.ts';
import {
  type CheckedTransaction,
  markMissing,
  readContents,
  readWatched,
  unwatchOld,
  unwatchTransactions,
} from './watched-transactions.ts';

export interface DroppedCheckOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  readonly readChain: ReadChain;
  /** How long a transaction must be missing before it counts as dropped. */
  readonly missingMs: number;
}

/**
 * Checks the watched transactions, a part at a time with one POST each. One that the node does not have in two checks, at least a minute apart, while its nonce is
 * unused, is dropped: a transaction that is merely late is still in the pool of the node. Source: `eth_getTransactionByHash`, and
 * `eth_getTransactionCount` of the senders of those that were missing before.
 */
export async function checkWatched(options: DroppedCheckOptions, signal: AbortSignal): Promise<void> {
  const { query } = options.database;
  await unwatchOld(query);
  let failure: unknown;
  for (const part of await readWatched(query)) {
    try {
      await checkPart(options, part, signal);
    } catch (error) {
      // The other parts may be those of other applications.
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  if (failure) throw failure;
}

async function checkPart(
  options: DroppedCheckOptions,
  watched: readonly CheckedTransaction[],
  signal: AbortSignal,
): Promise<void> {
  const { database, readChain } = options;
  const { query } = database;
  const found = await readChain(signal, ({ calls }) =>
    Promise.all(
      watched.map(async ({ hash, sender, missingSince }) => {
        const [transaction, count] = await Promise.all([
          calls.refetch(transactionBy, hash),
          missingSince ? calls.call(transactionCountOf, sender) : undefined,
        ]);
        return { isMissing: transaction === null, blockNumber: transaction?.blockNumber, count };
      }),
    ),
  );
  const tip = await readTip(query);
  const now = new Date();
  // Mined before it was seen as pending: no later block settles it.
  const mined = watched.filter((_watched, i) => {
    const { blockNumber } = found[i]!;
    return blockNumber && tip && toBigInt(blockNumber) <= tip.height;
  });
  await unwatchTransactions(query, mined.map(hashOf));
  const missing = watched.filter((_watched, i) => found[i]!.isMissing);
  await markMissing(query, watched.map(hashOf), missing.map(hashOf), now);
  const isDropped = ({ nonce, missingSince }: CheckedTransaction, i: number): boolean => {
    const { isMissing, count } = found[i]!;
    return (
      isMissing &&
      missingSince !== null &&
      now.getTime() - missingSince.getTime() >= options.missingMs &&
      count !== undefined &&
      toBigInt(count) <= toBigInt(nonce)
    );
  };
  await notifyDropped(options, watched.filter(isDropped), now);
}

const hashOf = ({ hash }: CheckedTransaction): Data => hash;

async function notifyDropped(options: DroppedCheckOptions, dropped: readonly CheckedTransaction[], now: Date): Promise<void> {
  const { database, registrations } = options;
  const budget = new OperationBudget();
  for await (const transactions of readContents(database.query, dropped)) {
    const senders = [...new Set(transactions.map(({ from }) => from))];
    const groups = await registrations.activeFor(database.query, senders);
    const notifications = await droppedNotifications(transactions, groups, now.toISOString(), budget);
    await database.transaction(async (query) => {
      await lockInserts(query);
      // A block has included or replaced the others meanwhile.
      const open = await unwatchTransactions(
        query,
        transactions.map(({ hash }) => hash),
      );
      const isOpen = ({ content }: DerivedNotification): boolean => !('hash' in content) || open.has(content.hash);
      await notify(query, options, notifications.filter(isOpen));
    });
  }
}
