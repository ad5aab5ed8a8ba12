import type { Data } from '../../../ethereum/hex.ts';
import { OperationBudget } from '../../../lib/operation-budget.ts';
import type { AddressActivity, EventContent, NotifiedTransaction } from '../model.ts';
import type { ActiveGroup } from '../registrations/active-registrations.ts';
import { appendTo, batchesOf } from './batches.ts';
import { type BlockFacts, partiesOf } from './block-facts.ts';
import {
  activityBytes,
  contentBytes,
  type DerivedNotification,
  errorNotification,
  type NotificationTarget,
  type NotifiedRegistration,
} from './derived-notification.ts';

/** Maximum number of transfers in one notification; further transfers are in further notifications. */
const MAX_ACTIVITIES = 500;
/** Maximum size of one body: a transaction of 128 KiB, the limit of most nodes, has 256 KiB as hex. */
export const MAX_BODY_BYTES = 512 * 1024;

/** Maximum total size of the bodies of one application and block. */
const MAX_APP_BYTES = 16 * 1024 * 1024;
/** Maximum number of deliveries of one application and block. */
const MAX_APP_DELIVERIES = 10_000;

/**
 * Yields the notifications of a block to one application: one for each mined transaction of its senders, and one for
 * each 500 transfers from and to its addresses. `timestamp`: time of the block, ISO 8601.
 */
export async function* notificationsOf({ mined, transfers }: BlockFacts, groups: readonly ActiveGroup[], timestamp: string) {
  yield* transactionNotifications('MINED_TRANSACTION', mined, groups, timestamp);
  yield* activityNotifications(transfers, groups);
}

/** Yields the notifications of transactions to one application, for the senders that its registrations of a type contain. */
export async function* transactionNotifications(
  type: 'MINED_TRANSACTION' | 'DROPPED_TRANSACTION',
  transactions: readonly NotifiedTransaction[],
  groups: readonly ActiveGroup[],
  timestamp: string,
): AsyncGenerator<DerivedNotification> {
  const bySender = await groupByAddress(groups, type);
  for (const fullTransaction of transactions) {
    const notified = bySender.get(fullTransaction.from);
    if (!notified) continue;
    const { app } = notified[0]!;
    const { hash } = fullTransaction;
    const registrations = notified.flatMap((group) => group.registrations);
    const content: EventContent = type === 'MINED_TRANSACTION' ? { type, fullTransaction } : { type, hash, fullTransaction };
    const error = `The notification of transaction ${hash} has more than ${MAX_BODY_BYTES} bytes and is not sent.`;
    if (contentBytes(content) > MAX_BODY_BYTES) yield errorNotification({ app, timestamp }, type, error, registrations);
    else yield { app, timestamp, content, part: 0, targets: [{ registrations, content }] };
  }
}

/** A transfer, and the registrations that contain its sender or recipient. */
interface NotifiedTransfer {
  readonly transfer: AddressActivity;
  readonly groups: ReadonlySet<ActiveGroup>;
}

async function* activityNotifications(transfers: readonly AddressActivity[], activeGroups: readonly ActiveGroup[]) {
  const byAddress = await groupByAddress(activeGroups, 'ADDRESS_ACTIVITY');
  if (byAddress.size === 0) return;
  const notifiedTransfers = function* (): Generator<NotifiedTransfer> {
    for (const transfer of transfers) {
      const groups = new Set(partiesOf(transfer).flatMap((address) => byAddress.get(address) ?? []));
      if (groups.size > 0) yield { transfer, groups };
    }
  };
  const sizeOf = ({ transfer }: NotifiedTransfer): number => activityBytes(transfer);
  let part = 0;
  for await (const batch of batchesOf(notifiedTransfers(), sizeOf, MAX_BODY_BYTES, MAX_ACTIVITIES))
    yield activityNotification(batch, part++);
}

function activityNotification(batch: readonly NotifiedTransfer[], part: number): DerivedNotification {
  const content = { type: 'ADDRESS_ACTIVITY', activity: batch.map(({ transfer }) => transfer) } as const;
  const byGroup = new Map<ActiveGroup, AddressActivity[]>();
  for (const { transfer, groups } of batch) for (const group of groups) appendTo(byGroup, group, transfer);
  const targets = [...byGroup].map(([{ registrations }, activity]) => ({
    registrations,
    // All registrations share the object, so that its body is created once.
    content: activity.length === batch.length ? content : { ...content, activity },
  }));
  // The notification has no time, as in the service description.
  return { app: [...byGroup.keys()][0]!.app, timestamp: null, content, part, targets };
}

async function groupByAddress(groups: readonly ActiveGroup[], type: ActiveGroup['type']) {
  const budget = new OperationBudget();
  const byAddress = new Map<Data, ActiveGroup[]>();
  for (const group of groups) {
    if (group.type !== type) continue;
    for (const address of group.matched) appendTo(byAddress, address, group);
    if (budget.shouldYieldAfter(group.matched.length)) await budget.yieldTurn();
  }
  return byAddress;
}

/**
 * Limits the deliveries to one application for a block: above MAX_APP_BYTES and MAX_APP_DELIVERIES, events are stored
 * without deliveries, and a last notification for each type reports the limit.
 */
export async function* limitDeliveries(
  notifications: AsyncIterable<DerivedNotification>,
  about: { readonly app: string; readonly height: number; readonly timestamp: string },
): AsyncGenerator<DerivedNotification> {
  const unsent = new Map<string, Set<NotifiedRegistration>>();
  let [bytes, deliveries] = [0, 0];
  const isPermitted = ({ content, registrations }: NotificationTarget): boolean => {
    const added = contentBytes(content);
    if (bytes + added <= MAX_APP_BYTES && deliveries + registrations.length <= MAX_APP_DELIVERIES) {
      bytes += added;
      deliveries += registrations.length;
      return true;
    }
    const missing = unsent.get(content.type) ?? new Set();
    unsent.set(content.type, missing);
    for (const registration of registrations) missing.add(registration);
    return false;
  };
  for await (const notification of notifications) yield { ...notification, targets: notification.targets.filter(isPermitted) };
  const limits = `${MAX_APP_BYTES / 1024 / 1024} MiB or ${MAX_APP_DELIVERIES} deliveries for each application and block`;
  const error = `The notifications of block ${about.height} exceed the limit of ${limits}. Some are not sent; the events in the graph are complete.`;
  for (const [type, registrations] of unsent) yield errorNotification(about, type, error, [...registrations]);
}
