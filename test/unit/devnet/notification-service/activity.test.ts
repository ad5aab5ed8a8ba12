import { expect, test } from '@jest/globals';
import { id, ZeroAddress, zeroPadValue } from 'ethers';
import type {
  BlockContents,
  MinedReceipt,
  MinedTransaction,
  TransferLog,
} from '../../../../devnet/src/notification-service/block-contents.ts';
import { activityEntry, minedTransactionBody } from '../../../../devnet/src/notification-service/notification-bodies.ts';
import { findTransfers } from '../../../../devnet/src/notification-service/transfers.ts';

const ALICE = `0x${'a'.repeat(40)}`;
const BOB = `0x${'b'.repeat(40)}`;
const CAROL = `0x${'c'.repeat(40)}`;
const TOKEN = `0x${'7'.repeat(40)}`;
const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const registered = new Set([ALICE]);

interface Sent {
  readonly transaction: MinedTransaction;
  readonly receipt: MinedReceipt;
}

const sent = (changes: Partial<MinedTransaction & MinedReceipt> = {}): Sent => {
  const { status = '0x1', contractAddress = null, logs = [], ...transaction } = changes;
  const hash = word(1);
  return {
    transaction: { hash, from: BOB, to: CAROL, value: '0x0', ...transaction },
    receipt: { transactionHash: hash, status, contractAddress, logs },
  };
};
const blockOf = (...all: readonly Sent[]): BlockContents => ({
  number: '0x2a',
  transactions: all.map(({ transaction }) => transaction),
  receipts: all.map(({ receipt }) => receipt),
});
const transferLog = (from: string, to: string, over: Partial<TransferLog> = {}): TransferLog => ({
  address: TOKEN,
  topics: [id('Transfer(address,address,uint256)'), zeroPadValue(from, 32), zeroPadValue(to, 32)],
  data: word(1_500_000),
  ...over,
});
const transfersOf = (...all: readonly Sent[]) => findTransfers(blockOf(...all), registered);

test('the notification service finds native transfers from and to registered addresses', () => {
  expect(
    transfersOf(
      sent({ from: ALICE, value: '0x1' }),
      sent({ to: ALICE, value: '0x2' }),
      sent({ value: '0x3' }),
      sent({ from: ALICE, to: null, contractAddress: TOKEN, value: '0x4' }),
    ),
  ).toEqual([
    { category: 'external', from: ALICE, to: CAROL, contract: null, rawValue: '0x1' },
    { category: 'external', from: BOB, to: ALICE, contract: null, rawValue: '0x2' },
    { category: 'external', from: ALICE, to: TOKEN, contract: null, rawValue: '0x4' },
  ]);
});

test('the notification service finds the token transfers of a transaction after its native transfer, in the order of the logs', () => {
  const nft = transferLog(ZeroAddress, ALICE);
  const logs = [transferLog(BOB, ALICE), transferLog(BOB, CAROL), { ...nft, topics: [...nft.topics, word(7)], data: '0x' }];
  expect(transfersOf(sent({ from: ALICE, value: '0x1', logs }))).toEqual([
    { category: 'external', from: ALICE, to: CAROL, contract: null, rawValue: '0x1' },
    { category: 'token', from: BOB, to: ALICE, contract: TOKEN, rawValue: word(1_500_000) },
    { category: 'erc721', from: ZeroAddress, to: ALICE, contract: TOKEN, rawValue: '0x1', tokenId: word(7) },
  ]);
});

test.each([
  ['has another topic', { topics: [id('Approval(address,address,uint256)'), zeroPadValue(ALICE, 32), zeroPadValue(BOB, 32)] }],
  ['indexes no argument', { topics: [id('Transfer(address,address,uint256)')], data: word(1) + word(2).slice(2) }],
  ['has no amount', { data: '0x' }],
  ['is anonymous', { topics: [] }],
])('the notification service ignores a log that %s', (_case, over) => {
  expect(transfersOf(sent({ logs: [transferLog(ALICE, BOB, over)] }))).toEqual([]);
});

test.each([
  ['without decimals has neither a value nor a symbol', 'token', null, null],
  ['with the maximum of decimals has the nearest double', 'token', 255, 1.5e-249],
  ['of one ERC-721 token has no decimals', 'erc721', null, 1_500_000],
] as const)('the entry of a transfer %s', (_case, category, decimals, value) => {
  const transfer = { category, from: ALICE, to: BOB, contract: TOKEN, rawValue: word(1_500_000) };
  expect(activityEntry('0x1', transfer, { symbol: null, decimals })).toMatchObject({
    asset: null,
    value,
    rawContract: { decimals: category === 'erc721' ? 0 : decimals },
  });
});

test('a mined transaction has only the fields of the service description', () => {
  const described = {
    blockHash: word(2),
    blockNumber: '0x2a',
    from: ALICE,
    gas: '0x5208',
    gasPrice: '0x1',
    hash: word(1),
    input: '0x',
    nonce: '0x0',
    to: null,
    transactionIndex: '0x0',
    value: '0x0',
    v: '0x1',
    r: word(3),
    s: word(4),
  };
  const transaction = { ...described, r: '0x3', type: '0x2', accessList: [], blockTimestamp: '0x1' };
  const sentAt = new Date('2026-01-02T03:04:05.678Z');
  expect(minedTransactionBody({ app: 'a', network: 'n' }, sentAt, transaction)).toEqual({
    app: 'a',
    network: 'n',
    webhookType: 'MINED_TRANSACTION',
    timestamp: '2026-01-02T03:04:05.678Z',
    fullTransaction: described,
  });
});
