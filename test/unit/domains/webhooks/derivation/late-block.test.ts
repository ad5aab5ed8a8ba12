import { expect, test } from '@jest/globals';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { startBlockWriter, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();

test('a delivery of a block that is stored late counts the blocks that are processed meanwhile as confirmations', async () => {
  const { database, register, deliveries } = await startDerivationSetup();
  const writer = await startBlockWriter(database);
  await register({ id: 'activity', type: 'ADDRESS_ACTIVITY', addresses: [addressOf(1)], confirmations: 2 });
  const transfer = {
    ...{ from: addressOf(1), to: addressOf(2), blockNumber: '0x5', transactionHash: null },
    ...{ category: 'token' as const, value: null, asset: null },
    rawContract: { rawValue: '0x1' as const, address: addressOf(0x70ce), decimals: null },
  };
  const blockOf = (height: number) => ({
    ...{ height, hash: hashOf(height), parentHash: hashOf(height - 1), timestamp: '2026-11-01T12:00:00.000Z' },
    facts: { mined: [], transfers: height === 5 ? [transfer] : [] },
  });
  // A server that ended before it had stored the notifications of the block.
  await writer.append({ height: 5, hash: hashOf(5), parentHash: hashOf(4) }, hashOf(4));
  await writer.append(blockOf(6), hashOf(5));
  writer.reopen(blockOf(5));
  while (writer.isOpen()) await writer.advance();
  expect(await deliveries()).toHaveLength(1);
});
