import { expect, test } from '@jest/globals';
import { bodyOf } from '../../../../../src/domains/webhooks/derivation/bodies.ts';
import { contentBytes, type DerivedNotification } from '../../../../../src/domains/webhooks/derivation/derived-notification.ts';
import {
  limitDeliveries,
  MAX_BODY_BYTES,
  notificationsOf,
} from '../../../../../src/domains/webhooks/derivation/notifications.ts';
import type { AddressActivity, NotifiedTransaction } from '../../../../../src/domains/webhooks/model.ts';
import type { ActiveGroup } from '../../../../../src/domains/webhooks/registrations/active-registrations.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

const [ALICE, BOB] = [addressOf(0xa11ce), addressOf(0xb0b)];
const LONG = `0x${'f'.repeat(64)}`;

const transfer = (asset: string | null = null): AddressActivity => ({
  ...{ from: ALICE, to: BOB, blockNumber: '0x7fffffffffffffff', transactionHash: hashOf(1), category: 'external' },
  ...{
    value: 1.234567890123456e-7,
    asset,
    tokenId: LONG,
    rawContract: { rawValue: LONG, address: addressOf(1), decimals: 255 },
  },
});

const transaction = (inputData: string): NotifiedTransaction => ({
  ...{ hash: hashOf(1), nonce: '0x1', blockHash: hashOf(2), blockNumber: '0x10', transactionIndex: '0x0', from: ALICE, to: BOB },
  ...{ value: LONG, gasPrice: '0x1', gas: '0x5208', inputData, v: LONG, r: LONG, s: LONG },
});

const group = (type: ActiveGroup['type'], count = 1, app = 'shop'): ActiveGroup => ({
  ...{ app, type, matched: [ALICE] },
  registrations: Array.from({ length: count }, (_none, i) => ({ id: `${type} ${i}`, confirmations: 1 })),
});

async function collect(notifications: AsyncIterable<DerivedNotification>): Promise<DerivedNotification[]> {
  const all: DerivedNotification[] = [];
  for await (const notification of notifications) all.push(notification);
  return all;
}

const BLOCK = { app: 'shop', height: 7, timestamp: '2026-11-01T12:00:00.000Z' };

const derive = (mined: readonly NotifiedTransaction[], transfers: readonly AddressActivity[], groups: readonly ActiveGroup[]) =>
  collect(limitDeliveries(notificationsOf({ mined, transfers }, groups, BLOCK.timestamp), BLOCK));

test('the estimated size of a content is at least the size of its body', () => {
  for (const asset of [null, 'MANA', '"'.repeat(50), '\u{1f600}'.repeat(50)]) {
    const content = { type: 'ADDRESS_ACTIVITY', activity: Array.from({ length: 500 }, () => transfer(asset)) } as const;
    expect(Buffer.byteLength(bodyOf(content, 'a'.repeat(128), 'ETH_MAINNET', null))).toBeLessThanOrEqual(contentBytes(content));
  }
  const content = { type: 'MINED_TRANSACTION', fullTransaction: transaction(`0x${'00'.repeat(100_000)}`) } as const;
  const body = bodyOf(content, 'a'.repeat(128), 'ETH_MAINNET', BLOCK.timestamp);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(contentBytes(content));
});

test('a notification has at most 500 transfers, and at most 512 KiB', async () => {
  const lengths = async (asset: string | null) =>
    (
      await derive(
        [],
        Array.from({ length: 1_001 }, () => transfer(asset)),
        [group('ADDRESS_ACTIVITY')],
      )
    ).map(({ content, part }) => [part, 'activity' in content && content.activity.length]);
  expect(await lengths(null)).toEqual([
    [0, 500],
    [1, 500],
    [2, 1],
  ]);
  const large = await lengths('x'.repeat(10_000));
  expect(large[0]).toEqual([0, Math.floor(MAX_BODY_BYTES / (520 + 10_002))]);
});

test('registrations with equal addresses share a content; one with fewer addresses has a part of it', async () => {
  const other = { ...transfer(), from: addressOf(5), to: addressOf(6) };
  const both = { ...group('ADDRESS_ACTIVITY', 2), matched: [ALICE, addressOf(5)] };
  const [notification] = await derive([], [transfer(), other], [both, group('ADDRESS_ACTIVITY')]);
  expect(notification!.content).toMatchObject({ activity: [transfer(), other] });
  const [whole, part] = notification!.targets;
  expect(whole!.content).toBe(notification!.content);
  expect(whole!.registrations).toHaveLength(2);
  expect(part!.content).toMatchObject({ activity: [transfer()] });
});

test('a transaction whose body is larger than the maximum is an error that names it', async () => {
  const derived = await derive([transaction('0x'), transaction(`0x${'00'.repeat(300_000)}`)], [], [group('MINED_TRANSACTION')]);
  expect(derived.map(({ content }) => content)).toMatchObject([
    { type: 'MINED_TRANSACTION' },
    { type: 'CAPACITY_EXCEEDED', webhookType: 'MINED_TRANSACTION', error: expect.stringContaining(hashOf(1)) },
  ]);
  expect(derived[1]!.targets).toMatchObject([{ registrations: [{ id: 'MINED_TRANSACTION 0' }] }]);
});

test('the deliveries of one application and block are limited, and the events are not', async () => {
  const mined = Array.from({ length: 60 }, () => transaction('0x'));
  const derived = await derive(mined, [transfer()], [group('MINED_TRANSACTION', 200), group('ADDRESS_ACTIVITY')]);
  const events = derived.filter(({ content }) => content.type === 'MINED_TRANSACTION');
  expect(events).toHaveLength(60);
  expect(events.filter(({ targets }) => targets.length > 0)).toHaveLength(10_000 / 200);
  expect(derived.slice(-2).map(({ content, targets }) => [content, targets[0]!.registrations.length])).toMatchObject([
    [{ type: 'CAPACITY_EXCEEDED', webhookType: 'MINED_TRANSACTION', error: expect.stringContaining('block 7') }, 200],
    [{ type: 'CAPACITY_EXCEEDED', webhookType: 'ADDRESS_ACTIVITY' }, 1],
  ]);
});
