import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { DerivedNotification } from '../../../../../src/domains/webhooks/derivation/derived-notification.ts';
import {
  removeNotifications,
  type StoredNotification,
  storeNotifications,
} from '../../../../../src/domains/webhooks/derivation/stored-notifications.ts';
import { eventId } from '../../../../../src/domains/webhooks/event-id.ts';
import type { AddressActivity, NewWebhookEvent } from '../../../../../src/domains/webhooks/model.ts';
import { lockInserts } from '../../../../../src/domains/webhooks/store/event-writes.ts';
import { createRandomChoices } from '../../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../../support/random-tests.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { presentFacts, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();
const SEED = readSeed();
const NETWORK = 'ETH_MAINNET';

const transfer = (height: number, from: number, amount: number): AddressActivity => ({
  from: addressOf(from),
  to: addressOf(9),
  blockNumber: `0x${height.toString(16)}`,
  transactionHash: null,
  category: 'token',
  value: null,
  asset: null,
  rawContract: { rawValue: `0x${amount}`, address: addressOf(0x70ce), decimals: null },
});

test(`of a transfer that a service and this server report, in any order and with reorgs, there is one event (SEED=${SEED})`, async () => {
  const draw = createRandomChoices(SEED);
  const { database, store, eventsOf } = await startDerivationSetup();
  let notices = 0;
  const receive = async (height: number, activity: readonly AddressActivity[]) => {
    notices += 1;
    // As a service states them: with the name of the asset, and a transaction that this server does not state.
    const own = activity.map((one) => ({ ...one, asset: 'MANA', transactionHash: hashOf(notices), value: 1 }));
    const notification = {
      app: 'shop',
      network: NETWORK,
      timestamp: null,
      content: { type: 'ADDRESS_ACTIVITY', activity: own },
    } as const;
    const event: NewWebhookEvent = {
      ...notification,
      id: eventId(notification, new Date()),
      bodyHash: createHash('sha256').update(`${height} ${notices}`).digest(),
    };
    await store.insert([event]);
  };
  const derive = (activity: readonly AddressActivity[]): Promise<readonly StoredNotification[]> =>
    database.transaction(async (query) => {
      await lockInserts(query);
      const content = { type: 'ADDRESS_ACTIVITY', activity } as const;
      const notification: DerivedNotification = { app: 'shop', timestamp: null, content, part: 0, targets: [] };
      return storeNotifications(query, NETWORK, [notification]);
    });
  const revert = (stored: readonly StoredNotification[]) =>
    database.transaction(async (query) => {
      await lockInserts(query);
      await removeNotifications(query, stored);
    });
  const expected: string[] = [];
  for (let height = 1; height <= runSize(40, 1_000); height++) {
    const facts = draw.many(1 + draw.below(4), () => transfer(height, draw.below(2), draw.below(2)));
    expected.push(
      ...facts.map(
        ({ from, to, rawContract }) => `transfer ${height} ${from} ${to} ${rawContract.address} ${rawContract.rawValue}`,
      ),
    );
    // The service may split its notification, and it may come before, between or after those of this server.
    const cut = draw.below(facts.length + 1);
    const parts = [facts.slice(0, cut), facts.slice(cut)].filter(({ length }) => length > 0);
    let stored = draw.chance(0.5) ? await derive(facts) : undefined;
    for (const part of draw.chance(0.8) ? parts : []) {
      await receive(height, part);
      if (stored && draw.chance(0.4)) {
        await revert(stored);
        stored = await derive(facts);
      }
    }
    stored ??= await derive(facts);
    for (let reorgs = draw.below(3); reorgs > 0; reorgs--) {
      await revert(stored);
      stored = await derive(facts);
    }
  }
  expect(presentFacts(await eventsOf())).toEqual(expected.sort());
});

test('a transaction that a service and this server report as mined is one event, which a reorg removes and announces', async () => {
  const { database, store, eventsOf } = await startDerivationSetup();
  const fullTransaction = {
    hash: hashOf(1),
    nonce: '0x1',
    blockHash: hashOf(2),
    blockNumber: '0x10',
    transactionIndex: '0x0',
    from: addressOf(1),
    to: addressOf(2),
    value: '0x0',
    gasPrice: '0x1',
    gas: '0x5208',
    inputData: '0x',
    v: '0x0',
    r: '0x1',
    s: '0x2',
  };
  const notification = {
    app: 'shop',
    network: NETWORK,
    timestamp: '2026-11-01T12:00:00.000Z',
    content: { type: 'MINED_TRANSACTION', fullTransaction },
  } as const;
  const derive = () =>
    database.transaction(async (query) => {
      await lockInserts(query);
      return storeNotifications(query, NETWORK, [{ ...notification, part: 0, targets: [] }]);
    });
  const revert = (stored: readonly StoredNotification[]) =>
    database.transaction(async (query) => {
      await lockInserts(query);
      await removeNotifications(query, stored);
    });
  const [first] = await derive();
  const received = { ...notification, id: eventId(notification, new Date()), bodyHash: createHash('sha256').digest() };
  expect(await store.insert([received])).toEqual([false]);
  expect((await eventsOf()).map(({ id, removed }) => [id, removed])).toEqual([[received.id, false]]);
  await revert([first!]);
  const again = await derive();
  await revert(again);
  await derive();
  const events = await eventsOf();
  expect(events.map(({ removed }) => removed)).toEqual([true, true, true, true, false]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(5);
});
