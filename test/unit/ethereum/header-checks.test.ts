import { expect, test } from '@jest/globals';
import {
  blockContradiction,
  indexContradiction,
  logsContradiction,
  receiptContradiction,
} from '../../../src/ethereum/header-checks.ts';
import type { RpcBlock, RpcLog, RpcReceipt } from '../../../src/ethereum/rpc-types.ts';
import { headerHash } from '../../../src/sync/chain/rpc-header.ts';
import { buildBlock } from '../../support/ethereum/built-block.ts';

/** A header of Hardhat that differs from Ethereum headers. */
const { block, receipts } = await buildBlock();

const withHash = (changes: object): RpcBlock => {
  const header = { ...block, ...changes };
  return { ...header, hash: headerHash(header)! } as unknown as RpcBlock;
};

const KECCAK_OF_NOTHING = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

test('the first block of Hardhat, whose transactions root is the hash of nothing, has no transactions', () => {
  const root = { transactionsRoot: KECCAK_OF_NOTHING };
  expect(blockContradiction(withHash({ ...root, transactions: [] }), '0x0')).toBeUndefined();
  expect(blockContradiction(withHash(root), '0x0')?.check).toBe('transactionsRoot');
});

// Each log is its index, and the index of its transaction.
test.each([
  ['no logs', '', true],
  ['in the block', '0/0 1/1 2/0', true],
  ['in each transaction', '0/3 1/3 2/3 0/4 1/4', true],
  ['from 1', '1/0', false],
  ['with a gap', '0/0 2/0', false],
  ['in the block, then in a transaction', '0/0 1/1 0/2', false],
  ['in a transaction, then in the block', '0/0 0/1 2/2', false],
])('the indexes of logs count %s: %s', (_case, indexes, isAccepted) => {
  const logs = [...indexes.matchAll(/(\d)\/(\d)/g)].map(
    ([, logIndex, transactionIndex]) => ({ logIndex: `0x${logIndex}`, transactionIndex: `0x${transactionIndex}` }) as RpcLog,
  );
  const text = 'the indexes of the logs of block 16 do not count from 0';
  expect(indexContradiction(logs, '0x10')).toEqual(isAccepted ? undefined : { check: 'logIndex', text });
});

test('logs are compared with a block alone, and with its transactions whether whole or hashes', () => {
  const logs = receipts.flatMap((receipt) => receipt.logs as RpcLog[]);
  const ofBlock = { blockHash: block.hash as string };
  const hashes = block.transactions.map(({ hash }: { readonly hash: string }) => hash);
  const contradiction = (transactions: unknown, list = logs) =>
    logsContradiction(list, ofBlock, false, { ...block, transactions } as RpcBlock);
  expect(logsContradiction([], ofBlock)).toBeUndefined();
  expect([hashes, block.transactions, undefined].map((list) => contradiction(list))).toEqual([undefined, undefined, undefined]);
  const text = 'a log of block 16 has another transaction than the block at its index';
  const other = [hashes.with(2, hashes[1]), block.transactions.slice(0, 3), []];
  for (const transactions of other) expect(contradiction(transactions)).toEqual({ check: 'transactionHash', text });
  const bloom = { check: 'logsBloom', text: 'the logs of block 16 do not have its logsBloom' };
  expect(contradiction(hashes, [])).toEqual(bloom);
  const [first, ...rest] = logs as [RpcLog, ...RpcLog[]];
  const filtered = (list: readonly RpcLog[], filter: object) =>
    logsContradiction(list, { ...ofBlock, ...filter }, false, block as RpcBlock);
  const filters = [{}, { address: first.address }, { topics: [] }];
  expect(filters.map((filter) => filtered([first], filter))).toEqual([bloom, undefined, undefined]);
  expect(filtered([{ ...first, topics: [KECCAK_OF_NOTHING] }, ...rest], { topics: [] })).toEqual(bloom);
});

test('the logs of a receipt have its bloom', () => {
  const receipt = receipts[2] as RpcReceipt;
  expect([null, receipt].map(receiptContradiction)).toEqual([undefined, undefined]);
  const text = 'the logs of transaction 2 of block 16 do not have the logsBloom of its receipt';
  expect(receiptContradiction({ ...receipt, logs: [] })).toEqual({ check: 'logsBloom', text });
});

const OTHER_ROOT = { withdrawals: [], withdrawalsRoot: KECCAK_OF_NOTHING };
const OTHER_WITHDRAWALS = 'the withdrawals of block 16 do not have its withdrawalsRoot';

test.each<[string, object, string | undefined]>([
  [
    'a header with another nonce',
    { nonce: '0x0000000000000001', hash: block.hash },
    'the header of block 16 does not have its hash',
  ],
  ['a header without a field', { nonce: null, hash: block.hash }, 'the header of block 16 does not have its hash'],
  ['no transactions', { transactions: [] }, 'block 16 has 0 transactions, but the transactionsRoot of some'],
  ['one ommer', { uncles: [block.hash] }, 'block 16 has 1 ommers, but the sha3Uncles of another list'],
  ['a root of withdrawals without a list', { withdrawalsRoot: KECCAK_OF_NOTHING }, undefined],
  ['an unreadable withdrawal', { ...OTHER_ROOT, withdrawals: [{}] }, OTHER_WITHDRAWALS],
  ['another root of no withdrawals', OTHER_ROOT, OTHER_WITHDRAWALS],
  ['the root of the OP Stack', { ...OTHER_ROOT, transactions: [{ type: '0x7e' }] }, undefined],
  ['hashes of transactions', { ...OTHER_ROOT, transactions: [block.hash] }, undefined],
])('block contradiction: %s', (_case, changes, text) => {
  const { hash = withHash(changes).hash } = changes as { readonly hash?: string };
  const changed = { ...block, ...changes, hash } as unknown as RpcBlock;
  expect(blockContradiction(changed, '0x10')?.text).toBe(text);
  expect(blockContradiction(changed, 'pending')).toBeUndefined();
});
