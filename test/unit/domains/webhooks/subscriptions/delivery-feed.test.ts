import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Database } from '../../../../../src/database/database.ts';
import type { WebhookRegistration } from '../../../../../src/domains/webhooks/registrations/model.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { notifyDelivery } from '../../../../../src/domains/webhooks/store/delivery-store.ts';
import {
  type DeliveryFeed,
  type DeliveryScope,
  startDeliveryFeed,
} from '../../../../../src/domains/webhooks/subscriptions/delivery-feed.ts';
import type { GraphError } from '../../../../../src/lib/errors.ts';
import { log } from '../../../../support/silent-log.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();
/** The server that changes deliveries; the feed belongs to another server. */
let database: Database;
let feed: DeliveryFeed;
let shop: WebhookRegistration;
let farm: WebhookRegistration;

const create = (app: string): Promise<WebhookRegistration> =>
  new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN)).create(
    app,
    { type: 'MINED_TRANSACTION', url: 'https://receiver.example/', gasPrice: null, confirmations: 1, addresses: [] },
    { token: 'whsec_token', maxWebhooks: 100 },
  );

beforeEach(async () => {
  database = fixture.database;
  const other = fixture.createServer();
  feed = startDeliveryFeed(other, log);
  await feed.stream({ app: undefined, chainId: DEFAULT_CHAIN, webhookId: undefined });
  [shop, farm] = [await create('shop'), await create('farm')];
});

afterEach(() => feed.stop());

const addDelivery = (id: string, { id: webhook }: WebhookRegistration) =>
  database.transaction(async (query) => {
    await query(`${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash) values ($1, $2, '\\x00')`, [
      id,
      webhook,
    ]);
    await notifyDelivery(query, id);
  });

/** Collects the events of a scope as `id status`. */
async function collect(scope: Partial<DeliveryScope>) {
  const events: string[] = [];
  const errors: (GraphError | undefined)[] = [];
  const stream = await feed.stream({ app: undefined, chainId: DEFAULT_CHAIN, webhookId: undefined, ...scope });
  const stop = stream.subscribe({
    next: (batch) => events.push(...batch.map(({ root }) => `${root.webhookDeliveries.id} ${root.webhookDeliveries.status}`)),
    end: (error) => errors.push(error),
  });
  return { events, errors, stop };
}

test('deliveries that another server adds and changes are emitted with their current state, by application and webhook', async () => {
  const [all, ofShop, ofFarm, foreign] = await Promise.all([
    collect({}),
    collect({ app: 'shop' }),
    collect({ webhookId: farm.id }),
    collect({ app: 'shop', webhookId: farm.id }),
  ]);
  await addDelivery('feed-1', shop);
  await waitUntil(async () => all.events.length === 1, 'the first delivery is emitted');
  await addDelivery('feed-2', farm);
  await waitUntil(async () => all.events.length === 2, 'the second delivery is emitted');
  await database.transaction(async (query) => {
    await query("update webhook_deliveries set status = 'DEAD' where id = 'feed-1'");
    await notifyDelivery(query, 'feed-1');
    await notifyDelivery(query, 'feed-1');
  });
  await waitUntil(async () => all.events.length === 3, 'the change is emitted');
  expect(all.events).toEqual(['feed-1 PENDING', 'feed-2 PENDING', 'feed-1 DEAD']);
  expect(ofShop.events).toEqual(['feed-1 PENDING', 'feed-1 DEAD']);
  expect(ofFarm.events).toEqual(['feed-2 PENDING']);
  expect(foreign.events).toEqual([]);
});

test('a thousand changes in one transaction are emitted once each, in their order', async () => {
  const { events } = await collect({});
  const ids = Array.from({ length: 1_000 }, (_, i) => `feed-many-${i}`);
  await database.transaction(async (query) => {
    await query(
      `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash) select id, $2, '\\x00' from unnest($1::text[]) as new (id)`,
      [ids, shop.id],
    );
    for (const id of ids) await notifyDelivery(query, id);
  });
  await waitUntil(async () => events.length >= ids.length, 'all deliveries are emitted');
  expect(events).toEqual(ids.map((id) => `${id} PENDING`));
});

test('subscriptions end with STORE_UNAVAILABLE when the connection is lost, and new subscriptions work again', async () => {
  const { errors, stop } = await collect({});
  await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen grimoire_webhook_deliveries'
    or (application_name = 'grimoire' and pid <> pg_backend_pid() and query = 'select 1')`);
  await waitUntil(async () => errors.length === 1, 'the subscription ends');
  expect(errors[0]?.code).toBe('STORE_UNAVAILABLE');
  stop();
  const { events } = await collect({});
  await addDelivery('feed-5', shop);
  await waitUntil(async () => events.length === 1, 'the delivery is emitted');
  expect(events).toEqual(['feed-5 PENDING']);
});
