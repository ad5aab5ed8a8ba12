import { expect, test } from '@jest/globals';
import { activeRegistrations } from '../../../../../src/domains/webhooks/registrations/active-registrations.ts';
import { redeliver } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, queryOfChain, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { EventStore, markRemovedAbove } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { newEventOf, toNewEvent } from '../../../../support/webhooks/events.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

/** One application on the default chain and on chain 5, which share a database. */
const fixture = useDatabase();
const OTHER = '0x5';
const GAS_PRICE = {
  type: 'GAS_PRICE',
  url: 'https://receiver.example/',
  addresses: [],
  confirmations: 1,
  gasPrice: { speed: 'FAST', above: 1, below: null },
} as const;
const LIMITS = { token: 'whsec_token', maxWebhooks: 3 };

test('a chain has its own registrations and deliveries, and the limit of an application counts those of all chains', async () => {
  const { database } = fixture;
  const [own, other] = [
    new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN)),
    new RegistrationStore(statementsOfChain(database, OTHER)),
  ];
  const first = await own.create('shop', GAS_PRICE, LIMITS);
  const second = await other.create('shop', GAS_PRICE, LIMITS);
  expect((await own.list('shop', { limit: 10 }))!.map(({ id }) => id)).toEqual([first.id]);
  expect((await other.list(undefined, { limit: 10 }))!.map(({ id }) => id)).toEqual([second.id]);
  expect(await own.list('shop', { after: second.id, limit: 10 })).toBeUndefined();
  expect(await own.findAll([first.id, second.id])).toMatchObject([{ id: first.id }, undefined]);
  const changes = { active: false, addAddresses: [], removeAddresses: [] } as const;
  expect(await own.update('shop', second.id, changes as never, 1)).toBeUndefined();
  expect(await own.rotate('shop', second.id, { token: 'whsec_other', graceHours: 1 })).toBeUndefined();
  expect(await own.remove('shop', second.id)).toBe(false);
  for (const [chain, id] of [
    [DEFAULT_CHAIN, first.id],
    [OTHER, second.id],
  ] as const)
    expect((await activeRegistrations(queryOfChain(database.query, chain))).map((one) => one.id)).toEqual([id]);
  await database.query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, status, body_hash) values ('dead', $1, 'DEAD', '\\x00')`,
    [second.id],
  );
  expect(await redeliver(statementsOfChain(database, DEFAULT_CHAIN), 'shop', 'dead')).toBeUndefined();
  expect(await redeliver(statementsOfChain(database, OTHER), 'shop', 'dead')).toMatchObject({ id: 'dead' });
  await own.create('shop', GAS_PRICE, LIMITS);
  await expect(other.create('shop', GAS_PRICE, LIMITS)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('equal notifications of two chains are two events, each of its chain', async () => {
  const store = new EventStore(fixture.database);
  const event = newEventOf(1, { blockNumber: 17 });
  const other = toNewEvent({ ...event, network: 'CHAIN_5', chainId: OTHER });
  expect(other.id).not.toBe(event.id);
  expect(await store.insert([event, other])).toEqual([true, true]);
  const idsOf = async (chainId: string) => (await store.newest({ app: 'shop', chainId }, { limit: 5 })).map(({ id }) => id);
  expect([await idsOf(DEFAULT_CHAIN), await idsOf(OTHER)]).toEqual([[event.id], [other.id]]);
  expect(await store.newest({ app: 'shop' }, { limit: 5 })).toHaveLength(2);
  expect(await store.sequenceOf({ app: 'shop', chainId: DEFAULT_CHAIN }, other.id)).toBeUndefined();
  expect(await store.sequenceOf({ app: 'shop', chainId: OTHER }, other.id)).toEqual(expect.any(Number));
  // The restored chain is the default one.
  await markRemovedAbove(fixture.database.query, 16);
  const events = await store.oldest({ app: 'shop' }, { limit: 5 });
  expect(events.map(({ chainId, removed }) => [chainId, removed])).toEqual([
    [DEFAULT_CHAIN, true],
    [OTHER, false],
  ]);
});
