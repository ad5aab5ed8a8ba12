import { expect, test } from '@jest/globals';
import type { Notification } from '../../../../../src/domains/webhooks/model.ts';
import {
  countActivities,
  deleteOldCounts,
  transferKey,
  uncountDerived,
  uncountReceived,
} from '../../../../../src/domains/webhooks/store/activity-counts.ts';
import { hex } from '../../../../support/simulator/chain.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { notificationOf } from '../../../../support/webhooks/events.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();

/** An event with one transfer for each value, in a block. */
function transfersOf(values: readonly string[], blockNum = '0x10', app = 'shop'): Notification {
  const { ADDRESS_ACTIVITY: body } = BODIES;
  const [first] = body.activity;
  const activity = values.map((rawValue) => ({ ...first!, blockNum, rawContract: { ...first!.rawContract, rawValue } }));
  return notificationOf({ ...body, app, activity });
}

/** The counts of an application as `value received derived`, in the order of the values. */
async function countsOf(app: string): Promise<string[]> {
  const rows = await fixture.database.query<{ key: string; received: number; derived: number }>(
    'select key, received, derived from webhook_activities where app = $1',
    [app],
  );
  return rows.map(({ key, received, derived }) => `${key.split(' ').at(-1)} ${received} ${derived}`).sort();
}

test('a transfer that both sources report is in one event, and again after the block of one is removed', async () => {
  const { query } = fixture.database;
  const event = transfersOf(['0x1', '0x2']);
  expect(await countActivities(query, 'received', [event])).toEqual([[0, 1]]);
  expect(await countActivities(query, 'derived', [event])).toEqual([[]]);
  expect(await countActivities(query, 'derived', [event])).toEqual([[0, 1]]);
  expect(await countsOf('shop')).toEqual(['0x1 1 2', '0x2 1 2']);
  await uncountDerived(query, [{ ...event, shown: [1] }]);
  expect(await countsOf('shop')).toEqual(['0x1 1 1', '0x2 0 1']);
  await uncountReceived(query, [event]);
  expect(await countsOf('shop')).toEqual(['0x1 0 1', '0x2 0 1']);
  for (let i = 0; i < 2; i++) await uncountDerived(query, [{ ...event, shown: [0, 1] }]);
  expect(await countsOf('shop')).toEqual(['0x1 0 0', '0x2 0 0']);
  expect(await countActivities(query, 'received', [event])).toEqual([[0, 1]]);
});

test('transfers of another application, chain, block, or with another value are others', async () => {
  const { query } = fixture.database;
  const count = async (event: Notification) => (await countActivities(query, 'derived', [event]))[0];
  const app = 'farm';
  expect(await countActivities(query, 'received', [transfersOf(['0x1'], '0x10', app)])).toEqual([[0]]);
  expect(await count(transfersOf(['0x1'], '0x11', app))).toEqual([0]);
  expect(await count(transfersOf(['0x2'], '0x10', app))).toEqual([0]);
  expect(await count(transfersOf(['0x1'], '0x10', 'mill'))).toEqual([0]);
  expect(await count({ ...transfersOf(['0x1'], '0x10', app), chainId: '0x5' })).toEqual([0]);
  expect(await count(transfersOf(['0x1'], '0x10', app))).toEqual([]);
  expect(transferKey({ from: '0xa', to: null, rawContract: { address: null, rawValue: '0x1' } } as never)).toBe('0xa   0x1');
});

test('events without transfers and drops are not counted', async () => {
  const { query } = fixture.database;
  const mined = notificationOf({ ...BODIES.MINED_TRANSACTION, app: 'plain' });
  const dropped = notificationOf({ ...BODIES.DROPPED_TRANSACTION, app: 'plain' });
  expect(await countActivities(query, 'derived', [mined, dropped, mined])).toEqual([undefined, [0], undefined]);
  expect(await countsOf('plain')).toHaveLength(1);
});

test('counts of blocks 50,000 below the highest one of an application are deleted, and those of drops after a day', async () => {
  const { query } = fixture.database;
  const app = 'old';
  const dropped = notificationOf({ ...BODIES.DROPPED_TRANSACTION, app });
  const at = (height: number) => transfersOf([hex(height)], hex(height), app);
  await countActivities(query, 'received', [at(100_000), at(50_000), at(49_999), dropped]);
  await deleteOldCounts(query);
  const counted = [`${hex(100_000)} 1 0`, `${hex(50_000)} 1 0`];
  expect(await countsOf(app)).toEqual([counted[0], `${BODIES.DROPPED_TRANSACTION.hash} 1 0`, counted[1]]);
  await query("update webhook_activities set counted_at = now() - interval '25 hours' where app = $1", [app]);
  await deleteOldCounts(query);
  expect(await countsOf(app)).toEqual(counted);
});
