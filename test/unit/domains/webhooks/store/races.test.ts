import { beforeEach, expect, test } from '@jest/globals';
import type { Query } from '../../../../../src/database/statements.ts';
import { addDeliveries } from '../../../../../src/domains/webhooks/delivery/jobs.ts';
import { notify, takeDueDeliveries } from '../../../../../src/domains/webhooks/derivation/notifier.ts';
import { redeliver, sendSample } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import type { WebhookRegistration } from '../../../../../src/domains/webhooks/registrations/model.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { deleteExpiredDeliveries } from '../../../../../src/domains/webhooks/store/delivery-store.ts';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { lockInserts } from '../../../../../src/domains/webhooks/store/event-writes.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { createGasPriceWebhook, insertDelivery, WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { notificationOf as decode } from '../../../../support/webhooks/events.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();
const statements = () => statementsOfChain(fixture.database, DEFAULT_CHAIN);
const registrations = () => new RegistrationStore(statements());
let shop: WebhookRegistration;

beforeEach(async () => {
  await fixture.database.query('delete from webhooks');
  await fixture.database.query('delete from webhook_send_quotas');
  await fixture.database.query('delete from derived_blocks');
  shop = await createGasPriceWebhook(fixture.database, 'shop', 2);
});

/** Resolves when a statement that contains the text waits for a lock. */
const untilBlocked = (text: string) =>
  waitUntil(async () => {
    const rows = await fixture.database.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1 and pid <> pg_backend_pid()`,
      [`%${text}%`],
    );
    return rows.length > 0;
  }, `a statement waits: ${text}`);

test('a delivery that is redelivered while the retention deletes it is not lost', async () => {
  await insertDelivery(fixture.database, 'dead', shop, 'DEAD', 31);
  let expired: Promise<void> | undefined;
  const own = statements();
  // The transaction of the redelivery commits after the retention has selected the delivery.
  const slow = {
    ...own,
    transaction: <T>(run: Parameters<typeof own.transaction<T>>[0]) =>
      own.transaction<T>(async (query) => {
        const result = await run(query);
        expired = deleteExpiredDeliveries(fixture.database.query, 30);
        await untilBlocked('delete from webhook_deliveries');
        return result;
      }),
  };
  expect(await redeliver(slow, 'shop', 'dead')).toMatchObject({ id: 'dead', status: 'PENDING' });
  await expired;
  expect(await fixture.database.query('select id, status from webhook_deliveries')).toEqual([{ id: 'dead', status: 'PENDING' }]);
});

test('a webhook that is deleted meanwhile does not fail the notifications of others', async () => {
  const { database } = fixture;
  await database.query("insert into derived_blocks (height, hash, parent_hash) values (1, 'a', 'b')");
  const gasPrice = { fast: 1, fastest: 1, safeLow: 1, average: 1, speed: 1, blockTime: null, blockNumber: '0x1' };
  const content = { type: 'GAS_PRICE', gasPrice } as never;
  const targets = [{ registrations: [{ id: shop.id, confirmations: 2 }], content }];
  const notification = { app: 'shop', timestamp: '2026-11-01T12:00:00.000Z', part: 0, content, targets, ids: [] };
  let stored: Promise<unknown> | undefined;
  // The deletion of a webhook with its addresses.
  await database.transaction(async (query) => {
    await query('delete from webhooks where id = $1', [shop.id]);
    stored = statements().transaction(async (locked) => {
      await lockInserts(locked);
      await notify(locked, 'ETH_MAINNET', [notification], 1);
    });
    stored.catch(() => {});
    await untilBlocked('waiting_deliveries');
  });
  await expect(stored).resolves.toBeUndefined();
});

test('the deletion of a webhook and the block that confirms its deliveries do not deadlock', async () => {
  const { database } = fixture;
  await database.query("insert into derived_blocks (height, hash, parent_hash) values (1, 'a', 'b')");
  await database.query(
    `${WITH_EMPTY_BODY} insert into waiting_deliveries (id, height, due_height, webhook_id, body_hash) values ('w', 1, 2, $1, '\\x00')`,
    [shop.id],
  );
  let removed: Promise<boolean> | undefined;
  const block = statements().transaction(async (query) => {
    await lockInserts(query);
    const due = await takeDueDeliveries(query, 2);
    removed = registrations().remove('shop', shop.id);
    removed.catch(() => {});
    await untilBlocked('delete from w');
    await addDeliveries(
      query,
      due.filter(({ active }) => active),
    );
  });
  await block;
  expect(await removed).toBe(true);
});

test('a test of a webhook that has been deleted meanwhile has no delivery', async () => {
  await registrations().remove('shop', shop.id);
  expect(await sendSample(statements(), shop)).toBeUndefined();
});

test('the record of a body that is received again is not deleted by the retention that runs meanwhile', async () => {
  const { database } = fixture;
  const bodyHash = Buffer.alloc(32, 7);
  await database.query("insert into webhook_bodies values ($1, now() - interval '25 hours')", [bodyHash]);
  let expired: Promise<void> | undefined;
  const slow = {
    query: database.query,
    transaction: <T>(run: (query: Query) => Promise<T>) =>
      database.transaction(async (query) => {
        const result = await run(query);
        expired = new EventStore(database).deleteExpired(30);
        await untilBlocked('delete from webhook_bodies');
        return result;
      }),
  };
  const event = { ...decode(BODIES.GAS_PRICE), id: 'recurring', bodyHash, mayRecur: true };
  expect(await new EventStore(slow).insert([event])).toEqual([true]);
  await expired;
  expect(await database.query('select 1 from webhook_bodies')).toHaveLength(1);
});
