import { OperationBudget } from '../../../lib/operation-budget.ts';
import type { Database } from '../store/database.ts';
import { addressesOf } from './block-facts.ts';
import type { ReadBlock } from './block-reader.ts';
import type { DerivedNotification, RegistrationGroup } from './derived-notification.ts';
import { limitDeliveries } from './notification-limits.ts';
import { droppedNotifications, notificationsOf } from './notifications.ts';
import { exceeds, NO_WORK, slicesOf, sumOf, workOf } from './notifier.ts';
import type { ActiveRegistrations } from './options.ts';
import { returnedActivity } from './received-activity.ts';
import { type PendingTransaction, readContents, readReplaced } from './watched-transactions.ts';

/** Notifications of one application that do not wait for those of others. */
const MAX_FIRST = { bytes: 64 * 1024, rows: 50 };

export interface BlockSlicesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly registrations: ActiveRegistrations;
  readonly network: string;
}

/**
 * Yields what a block notifies one application of, or all, in lists for one transaction each. Applications with many notifications are last;
 * `onRemainder` is called, and an empty list yielded, before what remains of them.
 */
export async function* blockSlices(
  { database: { query }, registrations, network }: BlockSlicesOptions,
  block: ReadBlock,
  app: string | undefined,
  onRemainder: () => void,
): AsyncGenerator<readonly DerivedNotification[]> {
  const { height, facts } = block;
  const groups = await registrations.activeFor(query, addressesOf(facts), app);
  const replaced = await readReplaced(query, facts.mined);
  const remainders: AsyncIterable<DerivedNotification>[] = [];

  /** Yields the notifications of each application up to MAX_FIRST. */
  const firstNotifications = async function* (): AsyncGenerator<DerivedNotification> {
    for (const [owner, own] of groupsByApp(groups)) {
      const all = applicationNotifications(block, own, ownReplaced(query, own, replaced));
      const notifications = limitDeliveries(all, { app: owner, height, timestamp: block.timestamp });
      let work = NO_WORK;
      for (let next = await notifications.next(); !next.done; next = await notifications.next()) {
        work = sumOf(work, workOf(next.value));
        if (exceeds(work, MAX_FIRST)) {
          remainders.push(startingWith(next.value, notifications));
          break;
        }
        yield next.value;
      }
    }
  };
  yield* slicesOf(firstNotifications());
  yield* slicesOf(returnedActivity(query, network, { height, transfers: facts.transfers }, { groups, app }));
  if (remainders.length === 0) return;
  onRemainder();
  yield [];
  for (const remainder of remainders) yield* slicesOf(remainder);
}

async function* applicationNotifications(
  { facts, timestamp }: ReadBlock,
  groups: readonly RegistrationGroup[],
  replaced: ReturnType<typeof readContents>,
): AsyncGenerator<DerivedNotification> {
  const budget = new OperationBudget();
  yield* notificationsOf(facts, groups, timestamp, budget);
  for await (const page of replaced) yield* await droppedNotifications(page, groups, timestamp, budget);
}

/** The contents of the replaced transactions that DROPPED_TRANSACTION registrations are about. */
function ownReplaced(
  query: Database['query'],
  groups: readonly RegistrationGroup[],
  replaced: readonly PendingTransaction[],
): ReturnType<typeof readContents> {
  const senders = new Set(groups.flatMap(({ type, matched }) => (type === 'DROPPED_TRANSACTION' ? matched : [])));
  return readContents(
    query,
    replaced.filter(({ sender }) => senders.has(sender)),
  );
}

function groupsByApp(groups: readonly RegistrationGroup[]): ReadonlyMap<string, readonly RegistrationGroup[]> {
  const byApp = new Map<string, RegistrationGroup[]>();
  for (const group of groups) {
    const own = byApp.get(group.app);
    if (own) own.push(group);
    else byApp.set(group.app, [group]);
  }
  return byApp;
}

async function* startingWith<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}
