import type { Head } from '../../../sync/feed.ts';
import type { GasPriceMetadata } from '../model.ts';
import type { WebhookRegistration } from '../registrations/model.ts';
import { feeHistoryOf } from '../rpc-methods.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import type { Query } from '../store/query.ts';
import type { DerivedNotification } from './derived-notification.ts';
import { errorNotification } from './derived-notification.ts';
import { gasPriceMetadata, isThresholdReached, PERCENTILES, SAMPLED_BLOCKS } from './gas-prices.ts';
import { type NotifierOptions, notify } from './notifier.ts';
import type { ActiveRegistrations } from './ports.ts';
import type { ReadChain } from './upstream-calls.ts';
import { MAX_WATCHED } from './watched-transactions.ts';

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
  const notifications = groupBy(reached, ({ app }) => app).map((group) => gasPriceNotification(group, timestamp, gasPrice));
  await database.transaction(async (query) => {
    await lockInserts(query);
    await notify(query, options, notifications);
  });
}

/** Notifies every active registration that the quota of this server at the node is used up; at most once an hour for each application. */
export async function notifyCapacity({ registrations, database, ...options }: Omit<RatesOptions, 'readChain'>): Promise<void> {
  const timestamp = new Date().toISOString();
  await database.transaction(async (query) => {
    await lockInserts(query);
    const notified = await readNotified(query, CAPACITY_ERROR);
    const due = (await registrations.allActive(query)).filter(({ app }) => !notified.has(app));
    const notifications = groupBy(due, ({ app, type }) => `${type} ${app}`).map((group) =>
      errorNotification({ app: group[0]!.app, timestamp }, group[0]!.type, CAPACITY_ERROR, group),
    );
    await notify(query, options, notifications);
  });
}

const WATCHED_ERROR = `The application has ${MAX_WATCHED} pending transactions, which is the limit. Further ones are not watched until these are mined or dropped.`;

/** Notifies the DROPPED_TRANSACTION registrations of applications that their pending transactions are not all watched; at most once an hour. */
export async function notifyUnwatched(
  { registrations, database, ...options }: Omit<RatesOptions, 'readChain'>,
  apps: ReadonlySet<string>,
): Promise<void> {
  const timestamp = new Date().toISOString();
  await database.transaction(async (query) => {
    await lockInserts(query);
    const notified = await readNotified(query, WATCHED_ERROR);
    const due = (await registrations.allActive(query)).filter(
      ({ app, type }) => type === 'DROPPED_TRANSACTION' && apps.has(app) && !notified.has(app),
    );
    const notifications = groupBy(due, ({ app }) => app).map((group) =>
      errorNotification({ app: group[0]!.app, timestamp }, 'DROPPED_TRANSACTION', WATCHED_ERROR, group),
    );
    await notify(query, options, notifications);
  });
}

/** The applications that this server has notified of an error in the last hour. */
async function readNotified(query: Query, error: string): Promise<ReadonlySet<string>> {
  const rows = await query<{ app: string }>(
    `select distinct app from webhook_events
     where type = 'CAPACITY_EXCEEDED' and source = 'derived' and received_at > now() - interval '1 hour' and content ->> 'error' = $1`,
    [error],
  );
  return new Set(rows.map(({ app }) => app));
}

/** A notification of registrations of one application. */
function gasPriceNotification(
  group: readonly WebhookRegistration[],
  timestamp: string,
  gasPrice: GasPriceMetadata,
): DerivedNotification {
  const content = { type: 'GAS_PRICE', gasPrice } as const;
  return { app: group[0]!.app, timestamp, content, part: 0, targets: [{ registrations: group, content }] };
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
