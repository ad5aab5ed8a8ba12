import { expect, test } from '@jest/globals';
import { watchTransactions } from '../../../../../src/domains/webhooks/derivation/watched-transactions.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { startBlockWriter, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();

const transactionOf = (hash: string, from: string) => ({
  ...{ hash, from, to: null, nonce: '0x7', value: '0x0', gasPrice: '0x1', gas: '0x5208', inputData: '0x' },
  ...{ blockHash: null, blockNumber: null, transactionIndex: null, v: null, r: null, s: null },
});

test('confirmations have no effect on the notification of a dropped transaction', async () => {
  const { database, register, statements, deliveries } = await startDerivationSetup();
  const writer = await startBlockWriter(database);
  const sender = addressOf(1);
  await register({ id: 'dropped', type: 'DROPPED_TRANSACTION', addresses: [sender], confirmations: 3 });
  await watchTransactions(statements.query, [transactionOf(hashOf(100), sender)]);
  await writer.append(
    {
      ...{ height: 5, hash: hashOf(5), parentHash: hashOf(4), timestamp: '2026-11-01T12:00:00.000Z' },
      facts: { mined: [transactionOf(hashOf(101), sender)], transfers: [] },
    },
    hashOf(4),
  );
  while (writer.isOpen()) await writer.advance();
  expect(await deliveries()).toHaveLength(1);
});
