import { expect, test } from '@jest/globals';
import { eventId } from '../../../../../src/domains/webhooks/event-id.ts';
import type { AddressActivity } from '../../../../../src/domains/webhooks/model.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { NETWORK, startBlockWriter, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();

const transfer: AddressActivity = {
  ...{
    from: addressOf(1),
    to: addressOf(2),
    blockNumber: '0x5',
    transactionHash: null,
    category: 'token',
    value: null,
    asset: null,
  },
  rawContract: { rawValue: '0x1', address: addressOf(0x70ce), decimals: null },
};

async function replaceBlock(failures: number) {
  const { database, store, register, eventsOf } = await startDerivationSetup();
  // Another application has a webhook; the application of the received activity has none.
  await register({ id: 'other', app: 'other', addresses: [addressOf(9)] });
  const notification = {
    app: 'received',
    network: NETWORK,
    timestamp: null,
    content: { type: 'ADDRESS_ACTIVITY', activity: [transfer] },
  } as const;
  await store.insert([{ ...notification, id: eventId(notification), bodyHash: Buffer.alloc(32) }]);
  let left = failures;
  const failing = {
    ...database,
    transaction: (async (run) =>
      database.transaction((query) =>
        run(async (text, values) => {
          // One failure that passes, such as a connection that was lost.
          if (text.includes('insert into derived_notifications') && left-- > 0) throw new Error('the connection was lost');
          return query(text, values);
        }),
      )) as typeof database.transaction,
  };
  const writer = await startBlockWriter(failing);
  const blockOf = (number: number, facts: boolean) => ({
    ...{ height: 5, hash: hashOf(number), parentHash: hashOf(4), timestamp: '2026-11-01T12:00:00.000Z' },
    facts: { mined: [], transfers: facts ? [transfer] : [] },
  });
  await writer.append(blockOf(50, false), hashOf(4));
  await writer.revert(blockOf(50, false));
  await writer.append(blockOf(51, true), hashOf(4)).catch(() => {});
  while (writer.isOpen()) await writer.advance().catch(() => {});
  return (await eventsOf()).filter(({ app }) => app === 'received').map(({ removed }) => removed);
}

test.each([
  ['also after storing the notifications of this block has failed once', 1],
  ['without a failure', 0],
])('a received transfer of a removed block becomes an event again in the block that replaces it, %s', async (_case, failures) => {
  expect(await replaceBlock(failures)).toEqual([true, true, false]);
});
