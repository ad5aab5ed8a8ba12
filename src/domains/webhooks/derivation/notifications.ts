import type { Data } from '../../../ethereum/hex.ts';
import type { AddressActivity, EventContent, NotifiedTransaction } from '../model.ts';
import type { WebhookRegistration } from '../registrations/model.ts';
import { type BlockFacts, partiesOf } from './block-facts.ts';

/** A registration, and which of the addresses that were looked up it contains. */
export interface MatchedRegistration {
  readonly registration: Pick<WebhookRegistration, 'id' | 'app' | 'type' | 'confirmations'>;
  readonly matched: readonly Data[];
}

/** A registration that is notified, with the part of the event that is about its own addresses. */
export interface NotificationTarget {
  readonly registrationId: string;
  readonly confirmations: number;
  readonly content: EventContent;
}

/** One event of an application, and its registrations that are notified of it. */
export interface DerivedNotification {
  readonly app: string;
  /** ISO 8601; null for an activity. */
  readonly timestamp: string | null;
  readonly content: EventContent;
  readonly targets: readonly NotificationTarget[];
}

/** What a block is about: its facts, and the transactions that it has replaced. */
export interface NotableFacts extends BlockFacts {
  readonly dropped: readonly NotifiedTransaction[];
}

/**
 * Returns the notifications of a block: for each application one for each of its senders' mined and dropped transactions, and one for all
 * transfers from and to its addresses. `timestamp`: of the block, ISO 8601.
 */
export function notificationsOf(
  { mined, dropped, transfers }: NotableFacts,
  registrations: readonly MatchedRegistration[],
  timestamp: string,
): readonly DerivedNotification[] {
  return [
    ...transactionNotifications(mined, ofType(registrations, 'MINED_TRANSACTION'), timestamp, (fullTransaction) => ({
      type: 'MINED_TRANSACTION',
      fullTransaction,
    })),
    ...droppedNotifications(dropped, registrations, timestamp),
    ...activityNotifications(transfers, ofType(registrations, 'ADDRESS_ACTIVITY')),
  ];
}

/** Returns the notifications of transactions that are no longer pending. */
export const droppedNotifications = (
  dropped: readonly NotifiedTransaction[],
  registrations: readonly MatchedRegistration[],
  timestamp: string,
): readonly DerivedNotification[] =>
  transactionNotifications(dropped, ofType(registrations, 'DROPPED_TRANSACTION'), timestamp, (fullTransaction) => ({
    type: 'DROPPED_TRANSACTION',
    hash: fullTransaction.hash,
    fullTransaction,
  }));

const ofType = (registrations: readonly MatchedRegistration[], type: WebhookRegistration['type']) =>
  registrations.filter(({ registration }) => registration.type === type);

function transactionNotifications(
  transactions: readonly NotifiedTransaction[],
  registrations: readonly MatchedRegistration[],
  timestamp: string,
  contentOf: (transaction: NotifiedTransaction) => EventContent,
): DerivedNotification[] {
  const bySender = groupByAddress(registrations);
  return transactions.flatMap((transaction) => {
    const content = contentOf(transaction);
    const byApp = new Map<string, NotificationTarget[]>();
    for (const { id, app, confirmations } of bySender.get(transaction.from) ?? [])
      append(byApp, app, { registrationId: id, confirmations, content });
    return [...byApp].map(([app, targets]) => ({ app, timestamp, content, targets }));
  });
}

function activityNotifications(
  transfers: readonly AddressActivity[],
  registrations: readonly MatchedRegistration[],
): DerivedNotification[] {
  const byAddress = groupByAddress(registrations);
  const byApp = new Map<string, { activity: Set<AddressActivity>; own: Map<Registration, Set<AddressActivity>> }>();
  for (const transfer of transfers) {
    for (const registration of partiesOf(transfer).flatMap((address) => byAddress.get(address) ?? [])) {
      const ofApp = byApp.get(registration.app) ?? { activity: new Set(), own: new Map() };
      byApp.set(registration.app, ofApp);
      ofApp.activity.add(transfer);
      const own = ofApp.own.get(registration) ?? new Set();
      ofApp.own.set(registration, own.add(transfer));
    }
  }
  return [...byApp].map(([app, { activity, own }]) => ({
    app,
    // As in the service description.
    timestamp: null,
    content: { type: 'ADDRESS_ACTIVITY', activity: [...activity] },
    targets: [...own].map(([{ id, confirmations }, entries]) => ({
      registrationId: id,
      confirmations,
      content: { type: 'ADDRESS_ACTIVITY', activity: [...entries] },
    })),
  }));
}

type Registration = MatchedRegistration['registration'];

function groupByAddress(registrations: readonly MatchedRegistration[]): ReadonlyMap<Data, readonly Registration[]> {
  const byAddress = new Map<Data, Registration[]>();
  for (const { registration, matched } of registrations) for (const address of matched) append(byAddress, address, registration);
  return byAddress;
}

function append<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
