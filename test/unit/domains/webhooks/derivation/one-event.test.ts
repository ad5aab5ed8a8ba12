import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  deleteBlock,
  insertBlock,
  insertBlockNotifications,
  takeBlockNotifications,
} from '../../../../../src/domains/webhooks/derivation/derived-blocks.ts';
import { removeNotifications, storeNotifications } from '../../../../../src/domains/webhooks/derivation/stored-notifications.ts';
import { eventId } from '../../../../../src/domains/webhooks/event-id.ts';
import type { AddressActivity, Notification } from '../../../../../src/domains/webhooks/model.ts';
import type { ChainQuery } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { lockInserts } from '../../../../../src/domains/webhooks/store/event-writes.ts';
import { createRandomChoices } from '../../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../../support/random-tests.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { presentFacts, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();
const NETWORK = 'ETH_MAINNET';

/** A database in which a test stores notifications of a service, and derives and removes events of this server. */
async function startSources() {
  const { database, statements, store, eventsOf } = await startDerivationSetup();
  let height = 0;
  const locked = <T>(run: (query: ChainQuery) => Promise<T>): Promise<T> =>
    statements.transaction(async (query) => {
      await lockInserts(query);
      return run(query);
    });
  return {
    ...{ database, store, eventsOf },
    /** Whether the event of a notification is new. */
    async receive(notification: Notification, body: string): Promise<boolean | undefined> {
      const bodyHash = createHash('sha256').update(body).digest();
      return (await store.insert([{ ...notification, id: eventId(notification), bodyHash }]))[0];
    },
    derive: ({ app, timestamp, content }: Omit<Notification, 'network'>) =>
      locked(async (query) => {
        height += 1;
        await insertBlock(query, { height, hash: '', parentHash: '' }, true);
        const stored = await storeNotifications(query, NETWORK, [{ app, timestamp, content, part: 0, targets: [] }]);
        await insertBlockNotifications(query, height, stored);
      }),
    revert: () =>
      locked(async (query) => {
        await removeNotifications(query, await takeBlockNotifications(query, height));
        await deleteBlock(query, { height, hash: '', parentHash: '' });
      }),
  };
}

const transactionWith = (hash: string, blockHash: string | null) => ({
  ...{ hash, nonce: '0x1', blockHash, blockNumber: blockHash && '0x10', transactionIndex: blockHash && '0x0' },
  ...{ from: addressOf(1), to: addressOf(2), value: '0x0', gasPrice: '0x1', gas: '0x5208', inputData: '0x' },
  ...{ v: '0x0', r: '0x1', s: '0x2' },
});

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

test('a transfer that a service and this server report, in any order and with reorgs, is one event', async () => {
  const draw = createRandomChoices(readSeed());
  const { eventsOf, derive: deriveContent, receive: receiveContent, revert } = await startSources();
  let notices = 0;
  const contentOf = (activity: readonly AddressActivity[]) => ({
    ...{ app: 'shop', timestamp: null },
    content: { type: 'ADDRESS_ACTIVITY', activity } as const,
  });
  const receive = (height: number, activity: readonly AddressActivity[]) => {
    notices += 1;
    // As a service states them: with the name of the asset, and a transaction that this server does not state.
    const own = activity.map((one) => ({ ...one, asset: 'MANA', transactionHash: hashOf(notices), value: 1 }));
    return receiveContent({ ...contentOf(own), network: NETWORK }, `${height} ${notices}`);
  };
  const derive = (activity: readonly AddressActivity[]) => deriveContent(contentOf(activity));
  const expected: string[] = [];
  for (let height = 1; height <= runSize(40, 1_000); height++) {
    const facts = draw.many(1 + draw.below(4), () => transfer(height, draw.below(2), draw.below(2)));
    expected.push(
      ...facts.map(
        ({ from, to, rawContract }) => `transfer ${height} ${from} ${to} ${rawContract.address} ${rawContract.rawValue}`,
      ),
    );
    // The service may split its notification. The parts arrive before, between or after this server's notifications.
    const cut = draw.below(facts.length + 1);
    const parts = [facts.slice(0, cut), facts.slice(cut)].filter(({ length }) => length > 0);
    const isDerived = draw.chance(0.5);
    if (isDerived) await derive(facts);
    for (const part of draw.chance(0.8) ? parts : []) {
      await receive(height, part);
      if (isDerived && draw.chance(0.4)) {
        await revert();
        await derive(facts);
      }
    }
    if (!isDerived) await derive(facts);
    for (let reorgs = draw.below(3); reorgs > 0; reorgs--) {
      await revert();
      await derive(facts);
    }
  }
  expect(presentFacts(await eventsOf())).toEqual(expected.sort());
});

test('a transaction that a service and this server report as mined is one event, which a reorg removes and announces', async () => {
  const { eventsOf, derive, receive, revert } = await startSources();
  const notification = {
    ...{ app: 'shop', network: NETWORK, timestamp: '2026-11-01T12:00:00.000Z' },
    content: { type: 'MINED_TRANSACTION', fullTransaction: transactionWith(hashOf(1), hashOf(2)) } as const,
  };
  await derive(notification);
  expect(await receive(notification, 'body')).toBe(false);
  expect((await eventsOf()).map(({ id, removed }) => [id, removed])).toEqual([[eventId(notification), false]]);
  await revert();
  await derive(notification);
  await revert();
  await derive(notification);
  const events = await eventsOf();
  expect(events.map(({ removed }) => removed)).toEqual([true, true, true, true, false]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(5);
});

test('a drop that a service and this server report is one event, and each later drop of the transaction is another event', async () => {
  const { database, store, eventsOf, ...sources } = await startSources();
  const hash = hashOf(7);
  const dropAt = (minute: number) => ({
    ...{ app: 'shop', network: NETWORK, timestamp: `2026-11-01T12:0${minute}:00.000Z` },
    content: { type: 'DROPPED_TRANSACTION', hash, fullTransaction: transactionWith(hash, null) } as const,
  });
  const derive = (minute: number) => sources.derive(dropAt(minute));
  const receive = (minute: number) => sources.receive(dropAt(minute), String(minute));
  await derive(0);
  // The service states another time.
  expect(await receive(1)).toBe(false);
  expect(await receive(5)).toBe(true);
  await derive(6);
  expect((await eventsOf()).map(({ timestamp }) => timestamp)).toEqual([0, 5].map((minute) => dropAt(minute).timestamp));
  await derive(8);
  expect(await eventsOf()).toHaveLength(3);
  await database.query("update webhook_activities set counted_at = now() - interval '25 hours'");
  await store.deleteExpired(30);
  expect(await database.query('select 1 from webhook_activities')).toEqual([]);
});
