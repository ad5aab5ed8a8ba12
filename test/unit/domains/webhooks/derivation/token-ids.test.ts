import { expect, test } from '@jest/globals';
import type { AddressActivity, StoredAddressActivity } from '../../../../../src/domains/webhooks/model.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { NETWORK, startBlockWriter, startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';
import { toNewEvent } from '../../../../support/webhooks/events.ts';

usePostgres();

/** The mint of an ERC-721 token to one account, as the server derives it, and as a service reports it. */
const mintOf = (tokenId: string): AddressActivity => ({
  ...{ from: addressOf(0), to: addressOf(2), blockNumber: '0x5', transactionHash: null },
  ...{ category: 'erc721', value: 1, asset: null, tokenId },
  rawContract: { rawValue: '0x1', address: addressOf(0x70ce), decimals: 0 },
});

async function setup(app: string, addresses: readonly string[]) {
  const { database, store, register, eventsOf } = await startDerivationSetup();
  await register({ id: 'webhook', app, addresses });
  const writer = await startBlockWriter(database);
  const blockOf = (number: number, ...transfers: readonly AddressActivity[]) => ({
    ...{ height: 5, hash: hashOf(number), parentHash: hashOf(4), timestamp: '2026-11-01T12:00:00.000Z' },
    facts: { mined: [], transfers },
  });
  const append = async (block: ReturnType<typeof blockOf>) => {
    await writer.append(block, hashOf(4));
    while (writer.isOpen()) await writer.advance();
  };
  const receive = (activity: AddressActivity, timestamp: string) =>
    store.insert([
      toNewEvent({ app: 'shop', network: NETWORK, timestamp, content: { type: 'ADDRESS_ACTIVITY', activity: [activity] } }),
    ]);
  const present = async (): Promise<string[]> =>
    ((await eventsOf()) as readonly StoredAddressActivity[])
      .filter((event) => event.app === 'shop' && !event.removed)
      .flatMap(({ content }) => content.activity.map(({ tokenId }) => tokenId!))
      .sort();
  return { writer, blockOf, append, receive, present };
}

test('a received ERC-721 transfer of a removed block does not return for another token of the new block', async () => {
  const { writer, blockOf, append, receive, present } = await setup('other', [addressOf(9)]);
  await receive(mintOf('0x7'), '2026-11-01T12:00:01.000Z');
  await append(blockOf(50, mintOf('0x7')));
  await writer.revert(blockOf(50));
  await append(blockOf(51, mintOf('0x8')));
  expect(await present()).toEqual([]);
  // The service reports the token of the new block.
  await receive(mintOf('0x8'), '2026-11-01T12:00:02.000Z');
  expect(await present()).toEqual(['0x8']);
});

test('two ERC-721 tokens of one block are one event each, whatever the order in which the service reports them', async () => {
  const { blockOf, append, receive, present } = await setup('shop', [addressOf(2)]);
  await receive(mintOf('0x8'), '2026-11-01T12:00:01.000Z');
  await append(blockOf(50, mintOf('0x7'), mintOf('0x8')));
  await receive(mintOf('0x7'), '2026-11-01T12:00:02.000Z');
  expect(await present()).toEqual(['0x7', '0x8']);
});
