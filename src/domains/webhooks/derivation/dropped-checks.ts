import { toBigInt } from '../../../ethereum/hex.ts';
import { activeFor } from '../registrations/active-registrations.ts';
import { transactionBy, transactionCountOf } from '../rpc-methods.ts';
import { groupBy } from './batches.ts';
import type { ReadChain } from './block-reader.ts';
import { readTip } from './derived-blocks.ts';
import type { DerivedNotification } from './derived-notification.ts';
import { transactionNotifications } from './notifications.ts';
import { type Notifier, notifyAtOnce } from './notifier.ts';
import {
  type CheckedTransaction,
  markMissing,
  readContents,
  readWatched,
  unwatchOld,
  unwatchTransactions,
} from './watched-transactions.ts';

/**
 * Checks the watched transactions, a part at a time with one POST each. One that the node does not have in two checks, at least a minute apart,
 * while its nonce is unused, is dropped: a transaction that is merely late is still in the pool of the node. Source:
 * `eth_getTransactionByHash`, and `eth_getTransactionCount` of the senders of transactions that were missing before.
 */
export async function checkWatched(notifier: Notifier, readChain: ReadChain, missingMs: number): Promise<void> {
  const { query } = notifier.database;
  await unwatchOld(query);
  const failures: unknown[] = [];
  // The parts that do not fail may be of other applications.
  for (const part of await readWatched(query))
    await checkPart(notifier, readChain, missingMs, part).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function checkPart(
  notifier: Notifier,
  readChain: ReadChain,
  missingMs: number,
  watched: readonly CheckedTransaction[],
): Promise<void> {
  const { query } = notifier.database;
  const checks = await readChain(({ calls }) =>
    Promise.all(
      watched.map(async (checked) => {
        const { hash, sender, missingSince } = checked;
        const [transaction, count] = await Promise.all([
          calls.refetch(transactionBy, hash),
          missingSince ? calls.call(transactionCountOf, sender) : undefined,
        ]);
        return { ...checked, isMissing: transaction === null, blockNumber: transaction?.blockNumber, count };
      }),
    ),
  );
  const tip = await readTip(query);
  const now = new Date();
  // Mined before it was seen as pending: no later block settles it.
  const mined = checks.filter(({ blockNumber }) => blockNumber && tip && toBigInt(blockNumber) <= tip.height);
  await unwatchTransactions(query, mined);
  const missing = checks.filter(({ isMissing }) => isMissing);
  await markMissing(query, watched, missing, now);
  const dropped = missing.filter(
    ({ nonce, missingSince, count }) =>
      missingSince !== null &&
      now.getTime() - missingSince.getTime() >= missingMs &&
      count !== undefined &&
      toBigInt(count) <= toBigInt(nonce),
  );
  for await (const transactions of readContents(query, dropped)) {
    const groups = await activeFor(query, [...new Set(transactions.map(({ from }) => from))]);
    const notifications: DerivedNotification[] = [];
    for (const own of groupBy(groups, ({ app }) => app).values())
      for await (const notification of transactionNotifications('DROPPED_TRANSACTION', transactions, own, now.toISOString()))
        notifications.push(notification);
    await notifyAtOnce(notifier, async (locked) => {
      // A block has included or replaced the others meanwhile.
      const open = await unwatchTransactions(locked, transactions);
      return notifications.filter(({ content }) => !('hash' in content) || open.has(content.hash));
    });
  }
}
