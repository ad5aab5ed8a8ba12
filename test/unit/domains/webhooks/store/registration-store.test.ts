import { beforeEach, expect, test } from '@jest/globals';
import {
  activeFor,
  activeRegistrations,
  deactivate,
  deliveryTarget,
} from '../../../../../src/domains/webhooks/registrations/active-registrations.ts';
import { RegistrationStore, readAddresses } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import type { NewRegistration, RegistrationChanges } from '../../../../../src/domains/webhooks/registrations/validation.ts';
import { DEFAULT_CHAIN, queryOfChain, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();
let store: RegistrationStore;

beforeEach(async () => {
  store = new RegistrationStore(statementsOfChain(fixture.database, DEFAULT_CHAIN));
  await fixture.database.query('delete from webhooks');
});

const addressAt = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;
const addresses = (count: number, first = 0): string[] => Array.from({ length: count }, (_, i) => addressAt(first + i));

const LIMITS = { token: 'whsec_one', maxWebhooks: 100 };
const mined = (registered: readonly string[], url = 'https://receiver.example/'): NewRegistration => ({
  type: 'MINED_TRANSACTION',
  url,
  gasPrice: null,
  confirmations: 1,
  addresses: registered,
});
const GAS_PRICE: NewRegistration = {
  ...mined([]),
  type: 'GAS_PRICE',
  gasPrice: { speed: 'AVERAGE', above: null, below: 12.5 },
};
const UNCHANGED: RegistrationChanges = {
  ...{ url: undefined, active: undefined, gasPrice: undefined, confirmations: undefined },
  ...{ addAddresses: [], removeAddresses: [] },
};
const addressesOf = async (id: string) => (await readAddresses(fixture.database.query, [id], 100_000))[0];

test('a registration is read as it was created, by its application alone', async () => {
  const created = await store.create('shop', GAS_PRICE, LIMITS);
  expect(created).toMatchObject({ app: 'shop', type: 'GAS_PRICE', active: true, gasPrice: GAS_PRICE.gasPrice, addresses: [] });
  expect(created.id).toMatch(/^[0-9a-f]{32}$/);
  expect(await store.find('shop', created.id)).toEqual(created);
  expect(await store.find(undefined, created.id)).toEqual(created);
  expect(await store.find('farm', created.id)).toBeUndefined();
  expect(JSON.stringify(created)).not.toContain('whsec_');
});

test('ten thousand addresses are stored, changed and read in a few statements', async () => {
  const { id } = await store.create('shop', mined(addresses(10_000)), LIMITS);
  expect(await addressesOf(id)).toEqual(addresses(10_000));
  const changes = { ...UNCHANGED, addAddresses: addresses(10, 9_995), removeAddresses: addresses(10) };
  await store.update('shop', id, changes, 10_000);
  expect(await addressesOf(id)).toEqual(addresses(9_995, 10));
  await expect(readAddresses(fixture.database.query, [id], 9_994)).rejects.toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', limit: 9_994 },
  });
});

test('an update beyond the limit of addresses, or without any left, changes nothing', async () => {
  const { id } = await store.create('shop', mined(addresses(3)), LIMITS);
  const more = { ...UNCHANGED, url: 'https://other.example/', addAddresses: addresses(1, 3) };
  await expect(store.update('shop', id, more, 3)).rejects.toMatchObject({
    extensions: { code: 'BAD_USER_INPUT', limit: 3, actual: 4, setting: 'MAX_WEBHOOK_ADDRESSES' },
  });
  const none = { ...UNCHANGED, active: false, removeAddresses: addresses(3) };
  await expect(store.update('shop', id, none, 3)).rejects.toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  expect(await store.find('shop', id)).toMatchObject({ url: 'https://receiver.example/', active: true });
  expect(await addressesOf(id)).toEqual(addresses(3));
});

test('concurrent updates do not exceed the limit of addresses together', async () => {
  const { id } = await store.create('shop', mined(addresses(1)), LIMITS);
  const updates = [1, 2, 3, 4].map((first) =>
    store.update('shop', id, { ...UNCHANGED, addAddresses: [addressAt(first)] }, 3).catch(() => undefined),
  );
  const results = await Promise.all(updates);
  expect(results.filter((result) => result !== undefined)).toHaveLength(2);
  expect(await addressesOf(id)).toHaveLength(3);
});

test('concurrent creations do not exceed the limit of an application, and other applications are not limited by it', async () => {
  const create = (app: string) => store.create(app, GAS_PRICE, { ...LIMITS, maxWebhooks: 3 }).catch((error) => error.extensions);
  const results = await Promise.all(['shop', 'shop', 'shop', 'shop', 'shop', 'farm'].map(create));
  const rejected = results.filter((result) => 'code' in result);
  expect(rejected).toEqual(
    Array(2).fill(expect.objectContaining({ code: 'BAD_USER_INPUT', limit: 3, actual: 4, setting: 'MAX_WEBHOOKS' })),
  );
});

test('an update changes every value, and only for the own application', async () => {
  const { id } = await store.create('shop', GAS_PRICE, LIMITS);
  const changes: RegistrationChanges = {
    ...UNCHANGED,
    url: 'https://new.example/',
    active: false,
    gasPrice: { speed: 'FASTEST', above: 1, below: null },
    confirmations: 64,
  };
  expect(await store.update('farm', id, changes, 1)).toBeUndefined();
  const changed = await store.update('shop', id, changes, 1);
  const { url, active, gasPrice, confirmations } = changes;
  expect(changed).toMatchObject({ url, active, gasPrice, confirmations });
  expect(await store.find('shop', id)).toEqual(changed);
});

test('the previous token is valid until its grace period ends', async () => {
  const { id } = await store.create('shop', GAS_PRICE, LIMITS);
  const tokens = async () => (await deliveryTarget(fixture.database.query, id))?.tokens;
  expect(await tokens()).toEqual({ current: 'whsec_one', previous: null });
  expect(await store.rotate('farm', id, { token: 'whsec_foreign', graceHours: 24 })).toBeUndefined();
  await store.rotate('shop', id, { token: 'whsec_two', graceHours: 24 });
  expect(await tokens()).toEqual({ current: 'whsec_two', previous: 'whsec_one' });
  await fixture.database.query("update webhooks set previous_token_until = now() - interval '1 second'");
  expect(await tokens()).toEqual({ current: 'whsec_two', previous: null });
  await store.rotate('shop', id, { token: 'whsec_three', graceHours: 0 });
  expect(await tokens()).toEqual({ current: 'whsec_three', previous: null });
});

test('pages contain every registration of an application once, in the order of creation', async () => {
  const created: string[] = [];
  for (let i = 0; i < 5; i++) created.push((await store.create(i === 2 ? 'farm' : 'shop', GAS_PRICE, LIMITS)).id);
  const expected = created.filter((_id, i) => i !== 2);
  const first = await store.list('shop', { limit: 2 });
  const second = await store.list('shop', { after: first!.at(-1)!.id, limit: 10 });
  expect([...first!, ...second!].map(({ id }) => id)).toEqual(expected);
  expect((await store.list(undefined, { limit: 10 }))!.map(({ id }) => id)).toEqual(created);
  expect(await store.list('shop', { after: created[2]!, limit: 10 })).toBeUndefined();
  expect((await store.findAll([created[2]!, 'unknown', created[0]!])).map((one) => one?.id)).toEqual([
    created[2],
    undefined,
    created[0],
  ]);
});

test('a registration is removed with its addresses and deliveries', async () => {
  const { id } = await store.create('shop', mined(addresses(2)), LIMITS);
  await fixture.database.query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash) values ('one', $1, '\\x00')`,
    [id],
  );
  expect(await store.remove('farm', id)).toBe(false);
  expect(await store.remove('shop', id)).toBe(true);
  expect(await store.remove('shop', id)).toBe(false);
  expect(await deliveryTarget(fixture.database.query, id)).toBeUndefined();
  for (const table of ['webhook_addresses', 'webhook_deliveries'])
    expect(await fixture.database.query(`select 1 from ${table}`)).toEqual([]);
});

test('active registrations are found by addresses and grouped by the addresses that they contain', async () => {
  const one = await store.create('shop', mined(addresses(3)), LIMITS);
  const same = await store.create('shop', mined(addresses(2, 1)), LIMITS);
  const other = await store.create('farm', mined(addresses(3, 2)), LIMITS);
  const inactive = await store.create('farm', mined(addresses(9)), LIMITS);
  const gasPrice = await store.create('farm', GAS_PRICE, LIMITS);
  const query = queryOfChain(fixture.database.query, DEFAULT_CHAIN);
  await deactivate(query, gasPrice.id, 'https://replaced.example/');
  await deactivate(query, inactive.id, inactive.url);
  const matches = await activeFor(query, [addressAt(2), addressAt(1), addressAt(4), addressAt(100)]);
  const found = matches.map(({ app, registrations, matched }) => [app, registrations.map(({ id }) => id), matched]);
  expect(found).toEqual([
    ['shop', [one.id, same.id], [addressAt(2), addressAt(1)]],
    ['farm', [other.id], [addressAt(2), addressAt(4)]],
  ]);
  expect(await activeFor(query, [addressAt(2)], 'farm')).toMatchObject([{ app: 'farm', type: 'MINED_TRANSACTION' }]);
  expect(await activeFor(query, [])).toEqual([]);
  expect((await activeRegistrations(query, 'GAS_PRICE')).map(({ id }) => id)).toEqual([gasPrice.id]);
  expect((await activeRegistrations(query)).map(({ id }) => id)).toEqual([one.id, same.id, other.id, gasPrice.id]);
});

test('the list has a registration behind those that were created before it, also if its transaction began earlier', async () => {
  let begin!: () => void;
  const created = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let started!: () => void;
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const slow = new RegistrationStore(
    statementsOfChain(
      {
        ...fixture.database,
        transaction: (run) =>
          fixture.database.transaction(async (query) => {
            await query('select now()');
            started();
            await created;
            return run(query);
          }),
      },
      DEFAULT_CHAIN,
    ),
  );
  const late = slow.create('race', mined([addressAt(1)]), LIMITS);
  await hasStarted;
  const { id } = await store.create('race', mined([addressAt(2)]), LIMITS);
  begin();
  const last = await late;
  expect((await store.list('race', { limit: 10 }))!.map((row) => row.id)).toEqual([id, last.id]);
});
