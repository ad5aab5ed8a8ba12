import { beforeEach, expect, test } from '@jest/globals';
import type { Query } from '../../../../../src/database/statements.ts';
import { redeliver, sendSample } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import type { DeliveryStatus, WebhookRegistration } from '../../../../../src/domains/webhooks/registrations/model.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import {
  attemptsOf,
  type DeliveryRange,
  deleteExpiredDeliveries,
  deliverySequenceOf,
  newestDeliveries,
  readDeliveries,
} from '../../../../../src/domains/webhooks/store/delivery-store.ts';
import { createGasPriceWebhook, insertDelivery, WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();
let shop: WebhookRegistration;
let farm: WebhookRegistration;

beforeEach(async () => {
  await fixture.database.query('delete from webhooks');
  await fixture.database.query('delete from webhook_send_quotas');
  [shop, farm] = await Promise.all([
    createGasPriceWebhook(fixture.database, 'shop'),
    createGasPriceWebhook(fixture.database, 'farm'),
  ]);
});

const addDelivery = (id: string, webhook: WebhookRegistration, status: DeliveryStatus = 'DELIVERED') =>
  insertDelivery(fixture.database, id, webhook, status);

const rangeOf = ({ id }: WebhookRegistration, range: Partial<DeliveryRange> = {}): DeliveryRange => ({
  registrationId: id,
  status: undefined,
  before: undefined,
  limit: 10,
  ...range,
});

const idsOf = async (...ranges: DeliveryRange[]) =>
  (await newestDeliveries(fixture.database.query, ranges)).map((page) => page.map(({ id }) => id));

const statements = () => statementsOfChain(fixture.database, DEFAULT_CHAIN);

test('the deliveries of several registrations are read in one statement, the newest first', async () => {
  for (const [id, registration, status] of [
    ['a', shop, 'DELIVERED'],
    ['b', farm, 'DEAD'],
    ['c', shop, 'DEAD'],
    ['d', shop, 'DELIVERED'],
  ] as const)
    await addDelivery(id, registration, status);
  const before = await deliverySequenceOf(fixture.database.query, shop.id, 'd');
  expect(
    await idsOf(
      rangeOf(shop),
      rangeOf(farm),
      rangeOf(shop, { status: 'DELIVERED', limit: 1 }),
      rangeOf(shop, { before }),
      rangeOf({ ...shop, id: 'unknown' }),
    ),
  ).toEqual([['d', 'c', 'a'], ['b'], ['d'], ['c', 'a'], []]);
  expect(await deliverySequenceOf(fixture.database.query, farm.id, 'd')).toBeUndefined();
});

test('a delivery is read with the application of its registration, and without a next attempt once it is finished', async () => {
  await addDelivery('dead', shop, 'DEAD');
  await addDelivery('retrying', farm, 'RETRYING');
  const [retrying, dead, ...others] = await readDeliveries(fixture.database.query, ['retrying', 'unknown', 'dead']);
  expect(retrying).toMatchObject({ app: 'farm', delivery: { status: 'RETRYING', nextAttemptAt: expect.any(String) } });
  expect(others).toEqual([]);
  expect(dead).toEqual({
    app: 'shop',
    chainId: DEFAULT_CHAIN,
    isActive: true,
    delivery: {
      ...{ id: 'dead', registrationId: shop.id, eventId: null, status: 'DEAD', attempts: 0 },
      ...{ nextAttemptAt: null, lastStatusCode: null, deliveredAt: null },
    },
  });
});

test('the last hundred attempts of each delivery are read, the oldest first', async () => {
  await addDelivery('one', shop);
  await addDelivery('two', shop);
  await fixture.database.query(
    `insert into webhook_attempts select 'one', n, now(), 12, null, 'no response' from generate_series(1, 150) as n`,
  );
  const [two, one, again] = await attemptsOf(fixture.database.query, ['two', 'one', 'one']);
  expect(two).toEqual([]);
  expect(again).toEqual(one);
  expect(one!.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, i) => 51 + i));
  expect(one![0]).toEqual({
    number: 51,
    attemptedAt: expect.any(String),
    durationMs: 12,
    statusCode: null,
    error: 'no response',
  });
});

test('a finished delivery is sent again with its id, by its application alone', async () => {
  await addDelivery('dead', shop, 'DEAD');
  await addDelivery('retrying', shop, 'RETRYING');
  expect(await redeliver(statements(), 'farm', 'dead')).toBeUndefined();
  expect(await redeliver(statements(), 'shop', 'unknown')).toBeUndefined();
  await expect(redeliver(statements(), 'shop', 'retrying')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await redeliver(statements(), 'shop', 'dead')).toMatchObject({ id: 'dead', status: 'PENDING' });
  await addDelivery('of farm', farm, 'DEAD');
  await fixture.database.query("update webhooks set active = false where app = 'farm'");
  await expect(redeliver(statements(), undefined, 'of farm')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('an application tests and redelivers ten times a minute on all servers together, and others are not affected', async () => {
  const { database } = fixture;
  const [own, other] = [database, fixture.createServer()].map((one) => statementsOfChain(one, DEFAULT_CHAIN));
  await Promise.all(['1', '2', '3', '4'].map((id) => addDelivery(id, shop, 'DEAD')));
  const attempts = await Promise.allSettled([
    ...Array.from({ length: 10 }, (_none, at) => sendSample(at % 2 === 0 ? own! : other!, shop)),
    ...['1', '2', '3', '4'].map((id) => redeliver(other!, 'shop', id)),
  ]);
  const rejections = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? attempt.reason : []));
  expect(rejections).toHaveLength(4);
  for (const { extensions } of rejections) {
    expect(extensions).toMatchObject({ code: 'RATE_LIMITED', limit: 10, retryAfterMs: expect.any(Number) });
    expect(extensions.retryAfterMs).toBeLessThanOrEqual(60_000);
  }
  // A webhook that replaces another one has the quota of its application.
  await database.query('delete from webhooks where app = $1', ['shop']);
  await expect(sendSample(statements(), await createGasPriceWebhook(fixture.database, 'shop'))).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
  await sendSample(other!, farm);
});

test('the quota admits a test when the tenth test before it is a minute old, and ignores rejected tests', async () => {
  const { database } = fixture;
  await database.query(
    "insert into webhook_send_quotas select 'shop', array_fill(now(), array[9]) || array[now() - interval '61 seconds']",
  );
  await sendSample(statements(), shop);
  await expect(sendSample(statements(), shop)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await database.query("update webhook_send_quotas set sent_at = sent_at[1:9] || array[now() - interval '1 minute']");
  await sendSample(statements(), shop);
});

test('one of two concurrent redeliveries is rejected', async () => {
  await addDelivery('dead', shop, 'DEAD');
  const results = await Promise.allSettled([1, 2].map(() => redeliver(statements(), 'shop', 'dead')));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('finished deliveries that were added and attempted before the retention are deleted with their attempts', async () => {
  const { query } = fixture.database;
  const age = (table: string, column: string, id: string, days: number) =>
    query(
      `update ${table} set ${column} = now() - interval '1 day' * $2 where ${table === 'webhook_deliveries' ? 'id' : 'delivery_id'} = $1`,
      [id, days],
    );
  const added: [id: string, status: DeliveryStatus, daysOld: number, daysSinceAttempt: number][] = [
    ['delivered', 'DELIVERED', 8, 8],
    ['dead', 'DEAD', 9, 8],
    ['waiting', 'RETRYING', 8, 8],
    ['redelivered', 'DELIVERED', 8, 6],
    ['recent', 'DELIVERED', 6, 6],
  ];
  for (const [id, status, daysOld, daysSinceAttempt] of added) {
    await addDelivery(id, shop, status);
    await query('insert into webhook_attempts (delivery_id, number, attempted_at, duration_ms) values ($1, 1, now(), 1)', [id]);
    await age('webhook_deliveries', 'created_at', id, daysOld);
    await age('webhook_attempts', 'attempted_at', id, daysSinceAttempt);
  }
  await deleteExpiredDeliveries(fixture.database.query, 7);
  expect(await idsOf(rangeOf(shop))).toEqual([['recent', 'redelivered', 'waiting']]);
  expect(await query('select delivery_id from webhook_attempts order by 1')).toHaveLength(3);
  await deleteExpiredDeliveries(fixture.database.query, 5);
  expect(await idsOf(rangeOf(shop))).toEqual([['waiting']]);
});

test('a page of few deliveries among many of another webhook and status is read from an index', async () => {
  const { query } = fixture.database;
  await query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash, status) select 'many' || n, $1, '\\x00', 'DELIVERED' from generate_series(1, 20000) as n`,
    [shop.id],
  );
  await addDelivery('last', shop, 'DEAD');
  await query('analyze webhook_deliveries');
  let statement = '';
  const recording: Query = (text, values) => {
    statement = text;
    return query(text, values);
  };
  expect(
    (await newestDeliveries(recording, [rangeOf(shop, { status: 'DEAD' })])).map((page) => page.map(({ id }) => id)),
  ).toEqual([['last']]);
  for (const [webhook, status] of [
    [shop.id, 'DEAD'],
    [shop.id, 'PENDING'],
    [farm.id, null],
    [farm.id, 'DEAD'],
  ]) {
    const plan = await query<Record<string, string>>(`explain (analyze, costs off) ${statement}`, [
      [webhook],
      [status],
      [null],
      [51],
    ]);
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('webhook_deliveries_by_status');
    expect(text).not.toMatch(/Seq Scan|webhook_deliveries_pkey|Rows Removed by Filter/);
  }
});
