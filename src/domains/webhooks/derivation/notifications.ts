import type { Data } from '../../../ethereum/hex.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import type { AddressActivity, EventContent, NotifiedTransaction } from '../model.ts';
import { type BlockFacts, partiesOf } from './block-facts.ts';
import { type DerivedNotification, errorNotification, type RegistrationGroup } from './derived-notification.ts';
import { activityBytes, contentBytes, MAX_ACTIVITIES, MAX_BODY_BYTES } from './notification-limits.ts';

/**
 * Yields the notifications of a block to one application: one for each mined transaction of its senders, and one for each 500 transfers from
 * and to its addresses. `timestamp`: of the block, ISO 8601.
 */
export async function* notificationsOf(
  { mined, transfers }: BlockFacts,
  groups: readonly RegistrationGroup[],
  timestamp: string,
  budget: OperationBudget,
): AsyncGenerator<DerivedNotification> {
  const bySender = await groupByAddress(groups, 'MINED_TRANSACTION', budget);
  for (const fullTransaction of mined) {
    const notified = bySender.get(fullTransaction.from);
    if (notified) yield transactionNotification({ type: 'MINED_TRANSACTION', fullTransaction }, notified, timestamp);
  }
  yield* activityNotifications(transfers, await groupByAddress(groups, 'ADDRESS_ACTIVITY', budget));
}

/** Returns the notifications of transactions that are no longer pending. */
export async function droppedNotifications(
  dropped: readonly NotifiedTransaction[],
  groups: readonly RegistrationGroup[],
  timestamp: string,
  budget: OperationBudget,
): Promise<readonly DerivedNotification[]> {
  const apps = [...new Set(groups.map(({ app }) => app))];
  const notifications: DerivedNotification[] = [];
  for (const app of apps) {
    const own = groups.filter((group) => group.app === app);
    const bySender = await groupByAddress(own, 'DROPPED_TRANSACTION', budget);
    for (const fullTransaction of dropped) {
      const notified = bySender.get(fullTransaction.from);
      const content = { type: 'DROPPED_TRANSACTION', hash: fullTransaction.hash, fullTransaction } as const;
      if (notified) notifications.push(transactionNotification(content, notified, timestamp));
    }
  }
  return notifications;
}

function transactionNotification(
  content: Extract<EventContent, { readonly fullTransaction: NotifiedTransaction }>,
  groups: readonly RegistrationGroup[],
  timestamp: string,
): DerivedNotification {
  const { app } = groups[0]!;
  const registrations = groups.flatMap((group) => group.registrations);
  if (contentBytes(content) <= MAX_BODY_BYTES) return { app, timestamp, content, part: 0, targets: [{ registrations, content }] };
  const error = `The notification of transaction ${content.fullTransaction.hash} has more than ${MAX_BODY_BYTES} bytes and is not sent.`;
  return errorNotification({ app, timestamp }, content.type, error, registrations);
}

/** The transfers of one notification, with those of each group. */
class ActivityPart {
  readonly #activity: AddressActivity[] = [];
  readonly #own = new Map<RegistrationGroup, AddressActivity[]>();
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#activity.length === 0;
  }

  hasRoomFor(activity: AddressActivity): boolean {
    return this.#activity.length < MAX_ACTIVITIES && this.#bytes + activityBytes(activity) <= MAX_BODY_BYTES;
  }

  add(activity: AddressActivity, groups: ReadonlySet<RegistrationGroup>): void {
    this.#activity.push(activity);
    this.#bytes += activityBytes(activity);
    for (const group of groups) append(this.#own, group, activity);
  }

  toNotification(part: number): DerivedNotification {
    const content = { type: 'ADDRESS_ACTIVITY', activity: this.#activity } as const;
    const targets = [...this.#own].map(([{ registrations }, activity]) => ({
      registrations,
      // The same object, so that its body is created once.
      content: activity.length === this.#activity.length ? content : { ...content, activity },
    }));
    // Without a time, as in the service description.
    return { app: [...this.#own.keys()][0]!.app, timestamp: null, content, part, targets };
  }
}

function* activityNotifications(
  transfers: readonly AddressActivity[],
  byAddress: ReadonlyMap<Data, readonly RegistrationGroup[]>,
): Generator<DerivedNotification> {
  if (byAddress.size === 0) return;
  let part = new ActivityPart();
  let parts = 0;
  for (const transfer of transfers) {
    const groups = new Set(partiesOf(transfer).flatMap((address) => byAddress.get(address) ?? []));
    if (groups.size === 0) continue;
    if (!part.hasRoomFor(transfer)) {
      yield part.toNotification(parts++);
      part = new ActivityPart();
    }
    part.add(transfer, groups);
  }
  if (!part.isEmpty) yield part.toNotification(parts);
}

async function groupByAddress(
  groups: readonly RegistrationGroup[],
  type: RegistrationGroup['type'],
  budget: OperationBudget,
): Promise<ReadonlyMap<Data, readonly RegistrationGroup[]>> {
  const byAddress = new Map<Data, RegistrationGroup[]>();
  for (const group of groups) {
    if (group.type !== type) continue;
    for (const address of group.matched) append(byAddress, address, group);
    if (budget.shouldYieldAfter(group.matched.length)) await budget.yieldTurn();
  }
  return byAddress;
}

function append<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
