import { expect, test } from '@jest/globals';
import { eventId, mayRecur } from '../../../../src/domains/webhooks/event-id.ts';
import { BODIES } from '../../../support/webhooks/bodies.ts';
import { notificationOf } from '../../../support/webhooks/events.ts';
import { withField } from '../../../support/webhooks/mutations.ts';

const idOf = (body: unknown): string => eventId(notificationOf(body));
const otherHash = `0x${'ef'.repeat(32)}`;
const otherAddress = `0x${'44'.repeat(20)}`;

test.each(Object.entries(BODIES))(
  'the id of a %s is the same in another order of fields, case and spelling of integers',
  (_type, body) => {
    const reordered = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(body, null, 2))).reverse());
    const respelled = JSON.parse(
      JSON.stringify(reordered).replaceAll('"0x10"', '16').replaceAll('"gas":"0x5208"', '"gas":21000'),
    );
    const uppercase = JSON.parse(
      JSON.stringify(respelled).replace(/0x[0-9a-f]{6,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`),
    );
    expect([reordered, respelled, uppercase].map((variant) => idOf(variant))).toEqual(Array(3).fill(idOf(body)));
  },
);

test('the id of a mined transaction does not depend on the time of the notification', () => {
  const later = { ...BODIES.MINED_TRANSACTION, timestamp: '2027-01-01T00:00:00Z' };
  expect(idOf(later)).toBe(idOf(BODIES.MINED_TRANSACTION));
});

test('a notification may recur unless it names its time, a mined transaction, or the transactions of all transfers', () => {
  const recurring = Object.entries(BODIES).flatMap(([type, body]) =>
    mayRecur(notificationOf({ ...body, timestamp: null })) ? [type] : [],
  );
  expect(recurring).toEqual(['DROPPED_TRANSACTION', 'ADDRESS_ACTIVITY', 'GAS_PRICE', 'CAPACITY_EXCEEDED']);
  for (const body of Object.values(BODIES))
    expect(mayRecur(notificationOf({ ...body, timestamp: '2026-11-01T12:00:00Z' }))).toBe(false);
  const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
  const withTransaction = { ...activity, hash: otherHash };
  const mayRecurWith = (...transfers: object[]) => mayRecur(notificationOf({ ...BODIES.ADDRESS_ACTIVITY, activity: transfers }));
  expect([mayRecurWith(withTransaction), mayRecurWith(withTransaction, activity)]).toEqual([false, true]);
});

const CHANGES: Readonly<Record<keyof typeof BODIES, readonly (readonly [(string | number)[], unknown])[]>> = {
  MINED_TRANSACTION: [
    [['fullTransaction', 'hash'], otherHash],
    [['fullTransaction', 'blockHash'], otherHash],
  ],
  DROPPED_TRANSACTION: [[['timestamp'], '2026-11-01T12:00:01Z']],
  ADDRESS_ACTIVITY: [
    [['timestamp'], '2026-11-01T12:00:01Z'],
    [['activity', 0, 'fromAddress'], otherAddress],
    [['activity', 0, 'toAddress'], otherAddress],
    [['activity', 0, 'blockNum'], '0x11'],
    [['activity', 0, 'hash'], otherHash],
    [['activity', 0, 'category'], 'external'],
    [['activity', 0, 'asset'], 'OTHER'],
    [['activity', 0, 'rawContract', 'rawValue'], '0x1'],
    [['activity', 0, 'rawContract', 'address'], otherAddress],
    [['activity'], [...BODIES.ADDRESS_ACTIVITY.activity, ...BODIES.ADDRESS_ACTIVITY.activity]],
    [['activity'], []],
  ],
  GAS_PRICE: [
    [['timestamp'], '2026-11-01T12:00:01Z'],
    [['gasPriceMetadata', 'fast'], 41],
  ],
  CAPACITY_EXCEEDED: [
    [['timestamp'], '2026-11-01T12:00:01Z'],
    [['error'], 'another error'],
    [['webhookType'], 'ADDRESS_ACTIVITY'],
  ],
};

test('every fact that a notification states gives another id', () => {
  const dropped = { ...BODIES.DROPPED_TRANSACTION.fullTransaction, hash: otherHash };
  const bodies = Object.entries(CHANGES).flatMap(([type, changes]) => {
    const body = BODIES[type as keyof typeof BODIES];
    const isTransaction = 'fullTransaction' in body;
    const common = [['app'], ...(isTransaction ? [] : [['network']])].map((path) => withField(body, path, 'other'));
    return [body, ...common, ...changes.map(([path, value]) => withField(body, path, value))];
  });
  const ids = [...bodies, { ...BODIES.DROPPED_TRANSACTION, hash: otherHash, fullTransaction: dropped }].map((body) => idOf(body));
  expect(new Set(ids).size).toBe(ids.length);
});
