import { toBigInt } from '../../../ethereum/hex.ts';
import { transactionBy, transactionCountOf } from '../rpc-methods.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import { readTip } from './derived-blocks.ts';
import { droppedNotifications } from './notifications.ts';
import { type NotifierOptions, notifyAtOnce } from './notifier.ts';
import type { ActiveRegistrations } from './ports.ts';
import type { ReadChain } from './upstream-calls.ts';
import { markMissing, readWatched, unwatchOld, unwatchTransactions, type WatchedTransaction } from './watched-transactions.ts';

export interface DroppedCheckOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  readonly readChain: ReadChain;
  /** How long a transaction must be missing before it counts as dropped. */
  readonly missingMs: number;
}

/**
 * Checks the watched transactions in one POST. One that the node does not have in two checks, at least a minute apart, while its nonce is
 * unused, is dropped: a transaction that is merely late is still in the pool of the node. Source: `eth_getTransactionByHash`, and
 * `eth_getTransactionCount` of the senders of those that were missing before.
 */
export async function checkWatched(options: DroppedCheckOptions, signal: AbortSignal): Promise<void> {
  const { database, readChain } = options;
  const { query } = database;
  await unwatchOld(query);
  const watched = await readWatched(query);
  if (watched.length === 0) return;
  const found = await readChain(signal, ({ calls }) =>
    Promise.all(
      watched.map(async ({ transaction: { hash, from }, missingSince }) => {
        const [transaction, count] = await Promise.all([
          calls.refetch(transactionBy, hash),
          missingSince ? calls.call(transactionCountOf, from) : undefined,
        ]);
        return { transaction, count };
      }),
    ),
  );
  const tip = await readTip(query);
  const now = new Date();
  // Mined before it was seen as pending: no later block settles it.
  const mined = found.flatMap(({ transaction }) =>
    transaction?.blockNumber && tip && toBigInt(transaction.blockNumber) <= tip.height ? transaction.hash.toLowerCase() : [],
  );
  await unwatchTransactions(query, mined);
  const missing = watched.filter((_watched, i) => found[i]!.transaction === null);
  await markMissing(
    query,
    missing.map(({ transaction }) => transaction.hash),
    now,
  );
  const isDropped = ({ transaction, missingSince }: WatchedTransaction, i: number): boolean => {
    const { transaction: current, count } = found[i]!;
    return (
      current === null &&
      missingSince !== null &&
      now.getTime() - missingSince.getTime() >= options.missingMs &&
      count !== undefined &&
      toBigInt(count) <= toBigInt(transaction.nonce)
    );
  };
  await notifyDropped(options, watched.filter(isDropped), now);
}

async function notifyDropped(options: DroppedCheckOptions, dropped: readonly WatchedTransaction[], now: Date): Promise<void> {
  if (dropped.length === 0) return;
  const { database, registrations } = options;
  await database.transaction(async (query) => {
    await lockInserts(query);
    const transactions = dropped.map(({ transaction }) => transaction);
    const open = await unwatchTransactions(
      query,
      transactions.map(({ hash }) => hash),
    );
    const matched = await registrations.activeFor(query, [...new Set(transactions.map(({ from }) => from))]);
    const gone = transactions.filter(({ hash }) => open.has(hash));
    await notifyAtOnce(query, options, droppedNotifications(gone, matched, now.toISOString()));
  });
}
