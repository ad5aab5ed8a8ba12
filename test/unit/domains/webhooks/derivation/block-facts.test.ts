import { expect, test } from '@jest/globals';
import { blockFacts, type FullBlock, type TransferReceipt } from '../../../../../src/domains/webhooks/derivation/block-facts.ts';
import { addressOf, hashOf, logFixture, receiptFixture, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;
const word = (n: number) => hashOf(n);
const [ALICE, BOB, TOKEN] = [addressOf(0xa11ce), addressOf(0xb0b), addressOf(0x70ce)];

const LISTED: Record<string, { symbol: string | null; decimals: number | null }> = {
  [addressOf(1)]: { symbol: 'USD', decimals: 2 },
  [addressOf(2)]: { symbol: null, decimals: null },
};

const factsOf = (transaction: Record<string, unknown>, receipt: Record<string, unknown>) =>
  blockFacts(
    {
      number: '0x10',
      baseFeePerGas: '0x64',
      transactions: [transactionFixture({ from: ALICE, to: BOB, value: '0x0', ...transaction })],
    } as unknown as FullBlock,
    [receiptFixture(receipt) as unknown as TransferReceipt],
    (contract) => LISTED[contract],
  );

const transferLog = (changes: Record<string, unknown>) =>
  logFixture({ address: TOKEN, topics: [TRANSFER, padded(ALICE), padded(BOB)], data: word(5), ...changes });

test('a native transfer is the value of a successful transaction', async () => {
  expect((await factsOf({ value: '0xde0b6b3a7640000' }, {})).transfers).toEqual([
    {
      blockNumber: '0x10',
      transactionHash: hashOf(0x71),
      category: 'external',
      from: ALICE,
      to: BOB,
      value: 1,
      asset: 'ETH',
      rawContract: { rawValue: '0xde0b6b3a7640000', address: null, decimals: 18 },
    },
  ]);
});

test.each([
  ['of a reverted transaction', { value: '0x1' }, { status: '0x0' }, 0],
  ['of no value', {}, {}, 0],
  ['before receipts had a status', { value: '0x1' }, { status: undefined, root: hashOf(1) }, 1],
  ['to a created contract', { value: '0x1', to: null }, { contractAddress: addressOf(9) }, 1],
  ['without a receipt of the recipient', { value: '0x1', to: null }, { contractAddress: null }, 0],
])('a native transfer %s', async (_case, transaction, receipt, count) => {
  expect((await factsOf(transaction, receipt)).transfers).toHaveLength(count);
});

test('a reverted transaction is mined', async () => {
  expect((await factsOf({}, { status: '0x0' })).mined).toMatchObject([{ hash: hashOf(0x71), from: ALICE, gasPrice: '0x6e' }]);
});

test.each([
  [
    'an ERC-20 transfer',
    {},
    [{ category: 'token', value: null, rawContract: { rawValue: '0x5', address: TOKEN, decimals: null } }],
  ],
  [
    'an ERC-20 transfer of a listed token',
    { address: addressOf(1), data: word(0x7d) },
    [{ asset: 'USD', value: 1.25, rawContract: { rawValue: '0x7d', address: addressOf(1), decimals: 2 } }],
  ],
  [
    'an ERC-20 transfer of a token that is listed without decimals',
    { address: addressOf(2) },
    [{ asset: null, value: null, rawContract: { decimals: null } }],
  ],
  [
    'an ERC-721 transfer',
    { topics: [TRANSFER, padded(ALICE), padded(BOB), word(7)], data: '0x' },
    [{ category: 'erc721', value: 1, tokenId: '0x7', rawContract: { rawValue: '0x1', address: TOKEN, decimals: 0 } }],
  ],
  ['a transfer of zero', { data: word(0) }, [{ category: 'token', rawContract: { rawValue: '0x0' } }]],
  ['another event', { topics: [hashOf(1), padded(ALICE), padded(BOB)] }, []],
  ['a transfer without indexed parties', { topics: [TRANSFER], data: `0x${'00'.repeat(96)}` }, []],
  ['three topics without an amount', { data: '0x' }, []],
  ['four topics with data', { topics: [TRANSFER, padded(ALICE), padded(BOB), word(7)] }, []],
  ['a transfer of ether (EIP-7708)', { address: `0x${'f'.repeat(39)}E` }, []],
  ['a removed log', { removed: true }, []],
])('the logs of a receipt: %s', async (_case, log, expected) => {
  const { transfers } = await factsOf({}, { logs: [transferLog(log)] });
  expect(transfers).toMatchObject(expected);
  expect(transfers).toHaveLength(expected.length);
});

test('a log of a transfer of ether (EIP-7708) is no transfer of a token', async () => {
  const log = transferLog({ address: `0x${'f'.repeat(39)}e` });
  expect((await factsOf({ value: '0x1' }, { logs: [log] })).transfers.map(({ category }) => category)).toEqual(['external']);
});
