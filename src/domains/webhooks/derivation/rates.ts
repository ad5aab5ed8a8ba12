import type { Head } from '../../../sync/feed.ts';
import type { EventContent } from '../model.ts';
import type { WebhookRegistration } from '../registrations/model.ts';
import { feeHistoryOf } from '../rpc-methods.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import { gasPriceMetadata, isThresholdReached, PERCENTILES, SAMPLED_BLOCKS } from './gas-prices.ts';
import type { DerivedNotification } from './notifications.ts';
import { type NotifierOptions, notifyAtOnce } from './notifier.ts';
import type { ActiveRegistrations } from './ports.ts';
import type { ReadChain } from './upstream-calls.ts';

export interface RatesOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  readonly readChain: ReadChain;
}

const CAPACITY_ERROR =
  'The monthly capacity limit of the node service has been exceeded. Upgrade the scaling policy to continue receiving notifications.';

/**
 * Notifies the gas price registrations whose threshold the current prices have reached. Sends no call without such a registration. Source:
 * `eth_feeHistory`.
 */
export async function checkGasPrices(options: RatesOptions, head: Head, signal: AbortSignal): Promise<void> {
  const { database, registrations, readChain } = options;
  const active = await registrations.gasPriceRegistrations(database.query);
  if (active.length === 0) return;
  const feeHistory = await readChain(signal, ({ calls }) => calls.call(feeHistoryOf, SAMPLED_BLOCKS, head.number, PERCENTILES));
  const gasPrice = gasPriceMetadata(feeHistory, head.number);
  if (!gasPrice) return;
  const reached = active.filter((registration) => registration.gasPrice && isThresholdReached(gasPrice, registration.gasPrice));
  if (reached.length === 0) return;
  const timestamp = new Date().toISOString();
  const notifications = groupBy(reached, ({ app }) => app).map((group) =>
    notificationOf(group, timestamp, { type: 'GAS_PRICE', gasPrice }),
  );
  await database.transaction(async (query) => {
    await lockInserts(query);
    await notifyAtOnce(query, options, notifications);
  });
}

/** Notifies every active registration that the quota of this server at the node is used up; at most once an hour for each application. */
export async function notifyCapacity({ registrations, database, ...options }: Omit<RatesOptions, 'readChain'>): Promise<void> {
  const timestamp = new Date().toISOString();
  await database.transaction(async (query) => {
    await lockInserts(query);
    const recent = await query<{ app: string }>(
      `select distinct app from webhook_events
       where type = 'CAPACITY_EXCEEDED' and source = 'derived' and received_at > now() - interval '1 hour'`,
    );
    const notified = new Set(recent.map(({ app }) => app));
    const due = (await registrations.allActive(query)).filter(({ app }) => !notified.has(app));
    const notifications = groupBy(due, ({ app, type }) => `${type} ${app}`).map((group) =>
      notificationOf(group, timestamp, { type: 'CAPACITY_EXCEEDED', error: CAPACITY_ERROR, webhookType: group[0]!.type }),
    );
    await notifyAtOnce(query, options, notifications);
  });
}

/** A notification of registrations of one application. */
const notificationOf = (
  group: readonly WebhookRegistration[],
  timestamp: string,
  content: EventContent,
): DerivedNotification => ({
  app: group[0]!.app,
  timestamp,
  content,
  targets: group.map(({ id, confirmations }) => ({ registrationId: id, confirmations, content })),
});

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
