import { type ActiveGroup, activeFor } from '../registrations/active-registrations.ts';
import type { Query } from '../store/statements.ts';
import { batchesOf, groupBy } from './batches.ts';
import { addressesOf } from './block-facts.ts';
import type { ReadBlock } from './block-reader.ts';
import { type DerivedNotification, storageBytes } from './derived-notification.ts';
import { limitDeliveries, notificationsOf, transactionNotifications } from './notifications.ts';
import { returnedActivity } from './received-activity.ts';
import { readContents, readReplaced } from './watched-transactions.ts';

/** Bytes that one transaction stores, unless one notification has more, so that none holds the lock of inserts for long. */
const MAX_SLICE_BYTES = 256 * 1024;

/** Yields what a block notifies one application of, or all, in lists for one transaction each. */
export async function* blockNotifications(
  query: Query,
  network: string,
  block: ReadBlock,
  app: string | undefined,
): AsyncGenerator<readonly DerivedNotification[]> {
  const { height, facts, timestamp } = block;
  const groups = await activeFor(query, addressesOf(facts), app);
  const replaced = await readReplaced(query, facts.mined);

  const notificationsOfApp = async function* (own: readonly ActiveGroup[]): AsyncGenerator<DerivedNotification> {
    yield* notificationsOf(facts, own, timestamp);
    const senders = new Set(own.flatMap(({ type, matched }) => (type === 'DROPPED_TRANSACTION' ? matched : [])));
    const dropped = replaced.filter(({ sender }) => senders.has(sender));
    for await (const transactions of readContents(query, dropped))
      yield* transactionNotifications('DROPPED_TRANSACTION', transactions, own, timestamp);
  };
  const limited = [...groupBy(groups, (group) => group.app)].map(([owner, own]) =>
    limitDeliveries(notificationsOfApp(own), { app: owner, height, timestamp }),
  );
  yield* batchesOf(takeTurns(limited), storageBytes, MAX_SLICE_BYTES);
  yield* batchesOf(returnedActivity(query, network, { height, ...facts }, { groups, app }), storageBytes, MAX_SLICE_BYTES);
}

/** Yields the notifications of several applications; the next one is of the application that has had the fewest bytes. */
async function* takeTurns(applications: readonly AsyncGenerator<DerivedNotification>[]): AsyncGenerator<DerivedNotification> {
  const open = applications.map((notifications) => ({ notifications, bytes: 0 }));
  while (open.length > 0) {
    const next = open.reduce((least, other) => (other.bytes < least.bytes ? other : least));
    const { value, done } = await next.notifications.next();
    if (done) open.splice(open.indexOf(next), 1);
    else {
      next.bytes += storageBytes(value);
      yield value;
    }
  }
}
