import { randomBytes, randomUUID } from 'node:crypto';
import pino, { type Logger } from 'pino';
import { createDatabase, type Database } from '../../../src/database/database.ts';
import type { Query } from '../../../src/database/statements.ts';
import { migrateJobQueue } from '../../../src/domains/webhooks/delivery/job-queue.ts';
import { addDeliveries, type NewDelivery } from '../../../src/domains/webhooks/delivery/jobs.ts';
import { type DeliveryWorkerOptions, startDeliveryWorker } from '../../../src/domains/webhooks/delivery/worker.ts';
import type { DeliveryStatus, WebhookRegistration } from '../../../src/domains/webhooks/registrations/model.ts';
import { RegistrationStore } from '../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../src/domains/webhooks/store/chain-statements.ts';
import { insertBodies } from '../../../src/domains/webhooks/store/delivery-bodies.ts';
import { waitUntil } from '../wait-until.ts';

const silent: Logger = pino({ level: 'silent' });

/** The database of a server with the tables of the job queue. */
export function createDeliveryDatabase(url: string, log = silent): Database {
  const database = createDatabase({ url, log });
  database.prepareWith((query) => migrateJobQueue(query, url, log));
  return database;
}

/** Resolves when the tables of a database are created. */
export const waitUntilPrepared = (database: Database): Promise<void> =>
  waitUntil(
    () =>
      database.check().then(
        () => true,
        () => false,
      ),
    'the database is prepared',
  );

/** Starts the deliveries of one server to receivers on loopback. Retries are due at once. */
export const startTestWorker = (
  url: string,
  database: Database,
  options: Partial<DeliveryWorkerOptions> = {},
  log = silent,
): ReturnType<typeof startDeliveryWorker> =>
  startDeliveryWorker(database, { url, allowsPrivate: true, exempt: new Set(), random: () => 0, ...options }, log);

/** Start of a statement that inserts deliveries with the body `{}`, whose hash is then `'\\x00'`. */
export const WITH_EMPTY_BODY = `with body as (insert into webhook_delivery_bodies (hash, body) values ('\\x00', '{}') on conflict do nothing)`;

/** A delivery with the body that it is sent with. */
export interface DeliveryWithBody extends Omit<NewDelivery, 'bodyHash'> {
  readonly body: string;
}

/** Stores deliveries, their bodies and their jobs. */
export async function addWithBodies(query: Query, deliveries: readonly DeliveryWithBody[]): Promise<void> {
  const hashes = await insertBodies(
    query,
    deliveries.map(({ body }) => ({ app: 'app', body })),
  );
  await addDeliveries(
    query,
    deliveries.map((delivery, i) => ({ ...delivery, bodyHash: hashes[i]! })),
  );
}

/** Creates a registration of gas prices, as `createWebhook` does. */
export const createGasPriceWebhook = (database: Database, app: string, confirmations = 1): Promise<WebhookRegistration> =>
  new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN)).create(
    app,
    {
      type: 'GAS_PRICE',
      url: 'https://receiver.example/',
      gasPrice: { speed: 'FAST', above: 1, below: null },
      confirmations,
      addresses: [],
    },
    { token: 'whsec_token', maxWebhooks: 100 },
  );

/** Stores a delivery of this age without a job, so that no worker sends it. */
export const insertDelivery = ({ query }: Database, id: string, webhook: WebhookRegistration, status: DeliveryStatus, days = 0) =>
  query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash, status, next_attempt_at, created_at)
     values ($1, $2, '\\x00', $3, now(), now() - interval '1 day' * $4)`,
    [id, webhook.id, status, days],
  );

export interface TestRegistration {
  readonly id: string;
  readonly token: string;
}

export async function createRegistration(database: Database, url: string): Promise<TestRegistration> {
  const [id, token] = [randomUUID(), `whsec_${randomBytes(32).toString('base64')}`];
  await database.query("insert into webhooks (id, app, type, url, token) values ($1, 'app', 'GAS_PRICE', $2, $3)", [
    id,
    url,
    token,
  ]);
  return { id, token };
}

/** Adds deliveries of one registration in one transaction and returns their ids. */
export async function deliver(database: Database, registrationId: string, count = 1): Promise<string[]> {
  const deliveries = Array.from({ length: count }, (_none, i) => ({
    id: randomBytes(16).toString('hex'),
    registrationId,
    eventId: null,
    body: JSON.stringify({ number: i }),
  }));
  await database.transaction((query) => addWithBodies(query, deliveries));
  return deliveries.map(({ id }) => id);
}

export interface DeliveryState {
  readonly status: string;
  readonly attempts: number;
  readonly last_status_code: number | null;
  readonly next_attempt_at: Date | null;
  readonly delivered_at: Date | null;
}

export async function stateOf(database: Database, id: string): Promise<DeliveryState> {
  const [row] = await database.query<DeliveryState & { id: string }>(
    'select status, attempts, last_status_code, next_attempt_at, delivered_at from webhook_deliveries where id = $1',
    [id],
  );
  return row!;
}

/** Resolves when a delivery has a status; returns its state. */
export async function waitForStatus(database: Database, id: string, status: string): Promise<DeliveryState> {
  await waitUntil(async () => (await stateOf(database, id)).status === status, `the delivery is ${status}`);
  return stateOf(database, id);
}

/** The number of jobs, waiting and running. */
export async function countJobs(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>('select count(*)::integer as count from graphile_worker.jobs');
  return row!.count;
}
