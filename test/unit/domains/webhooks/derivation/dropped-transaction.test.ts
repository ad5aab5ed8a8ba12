import { expect, test } from '@jest/globals';
import { createBlockWriter } from '../../../../../src/domains/webhooks/derivation/block-writer.ts';
import type { DerivationStatus } from '../../../../../src/domains/webhooks/derivation/options.ts';
import { watchTransactions } from '../../../../../src/domains/webhooks/derivation/watched-transactions.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { log } from '../../../../support/silent-log.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();
const NETWORK = 'CHAIN_7';

async function setup() {
  const derivation = await startDerivationSetup();
  const { database } = derivation;
  const status: DerivationStatus = {
    ...{ isLeading: true, height: undefined, waitingSince: undefined, skipped: { count: 0, at: 0 }, unwatched: 0 },
  };
  const writer = createBlockWriter({ database: statementsOfChain(database, DEFAULT_CHAIN), network: NETWORK, status, log });
  await writer.append({ height: 4, hash: hashOf(4), parentHash: '' }, undefined);
  return { ...derivation, writer };
}

const transactionOf = (hash: string, from: string) => ({
  ...{ hash, from, to: null, nonce: '0x7', value: '0x0', gasPrice: '0x1', gas: '0x5208', inputData: '0x' },
  ...{ blockHash: null, blockNumber: null, transactionIndex: null, v: null, r: null, s: null },
});

test('confirmations have no effect on the notification of a dropped transaction', async () => {
  const { writer, register, statements, deliveries } = await setup();
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
