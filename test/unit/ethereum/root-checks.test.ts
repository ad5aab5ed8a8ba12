import { RLP } from '@ethereumjs/rlp';
import { expect, test } from '@jest/globals';
import { getBytes } from 'ethers/utils';
import { finishSteps } from '../../../src/ethereum/encoding/list-root.ts';
import {
  gasContradiction,
  isRootOfBlobs,
  receiptsRootContradiction,
  transactionContradiction,
  transactionsRootContradiction,
} from '../../../src/ethereum/root-checks.ts';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { buildBlock } from '../../support/ethereum/built-block.ts';
import { naiveRoot } from '../../support/ethereum/naive-trie.ts';

const BUILT = await buildBlock();
const BLOCK = BUILT.block as RpcBlock;
const RECEIPTS = BUILT.receipts as readonly RpcReceipt[];
const TRANSACTIONS = BUILT.block.transactions as readonly RpcTransaction[];
const changed = <T extends object>(list: readonly T[], index: number, changes: object): T[] =>
  list.map((item, i) => (i === index ? { ...item, ...changes } : item));

/** The root of receipts in which the status 0 is a zero byte, as Ganache encodes it. */
const GANACHE_ROOT = naiveRoot(
  BUILT.rawReceipts.map((raw) => {
    const typeBytes = raw < '0xc0' ? 1 : 0;
    const [status, ...rest] = RLP.decode(getBytes(raw).subarray(typeBytes)) as Uint8Array[];
    const encoded = RLP.encode([status!.length === 0 ? Uint8Array.of(0) : status!, ...rest]);
    return Uint8Array.of(...getBytes(raw).subarray(0, typeBytes), ...encoded);
  }),
);
const receiptsCheck = (receipts: readonly RpcReceipt[] | null, changes?: object) =>
  finishSteps(receiptsRootContradiction(receipts, { ...BLOCK, ...changes }))?.check;
const succeeded = RECEIPTS.map((receipt) => ({ ...receipt, status: '0x1' }) as RpcReceipt);
const logOf = ({ logs: [log] }: RpcReceipt, changes: object) => ({ logs: [{ ...log!, ...changes }] });

test.each<[string, readonly RpcReceipt[] | null, object, string | undefined]>([
  ['the receipts of the block', RECEIPTS, {}, undefined],
  ['receipts without blooms', RECEIPTS.map(({ logsBloom: _, ...rest }) => rest as RpcReceipt), {}, undefined],
  ['a receipt with another bloom', changed(RECEIPTS, 1, { logsBloom: BLOCK.logsBloom }), {}, 'receiptsRoot'],
  ['a receipt with another sum of gas', changed(RECEIPTS, 2, { cumulativeGasUsed: '0x1' }), {}, 'receiptsRoot'],
  ['receipts in the encoding of Ganache', [...RECEIPTS], { receiptsRoot: GANACHE_ROOT }, undefined],
  ['receipts with another status in the encoding of Ganache', succeeded, { receiptsRoot: GANACHE_ROOT }, 'receiptsRoot'],
  ['logs that do not count from 0', changed(RECEIPTS, 1, logOf(RECEIPTS[1]!, { logIndex: '0x9' })), {}, 'logIndex'],
  ['an unknown type under another root', changed(RECEIPTS, 0, { type: '0x63' }), { receiptsRoot: GANACHE_ROOT }, undefined],
  ['an unknown type without a log', changed(RECEIPTS, 1, { type: '0x63', logs: [] }), {}, 'logsBloom'],
  ['a block without a root', [...succeeded], { receiptsRoot: null }, undefined],
  ['no receipts', null, {}, undefined],
])('receipts root: %s', (_case, receipts, changes, check) => {
  expect(receiptsCheck(receipts, changes)).toBe(check);
  // The second comparison uses the roots of the first one.
  expect(receiptsCheck(receipts, changes)).toBe(check);
});

test('receipts are compared with their own blooms without a block', () => {
  const checkOf = (receipts: readonly RpcReceipt[]) => finishSteps(receiptsRootContradiction(receipts))?.check;
  expect([RECEIPTS, changed(RECEIPTS, 1, { logs: [] })].map(checkOf)).toEqual([undefined, 'logsBloom']);
});

test('the gas of a receipt is the difference between two sums', () => {
  expect(gasContradiction(RECEIPTS)).toBeUndefined();
  expect(gasContradiction(changed(RECEIPTS, 3, { gasUsed: '0x5209' }))).toEqual({
    check: 'receiptsRoot',
    text: 'gasUsed of receipt 3 of block 16 contradicts cumulativeGasUsed',
  });
});

test.each(TRANSACTIONS.map((transaction, i) => [Number(transaction.type), i]))(
  'transaction of type %i has its hash',
  (_type, i) => {
    const transaction = TRANSACTIONS[i]!;
    const text = `transaction ${transaction.hash} does not have its hash`;
    expect([transaction, null].map(transactionContradiction)).toEqual([undefined, undefined]);
    for (const changes of [{ nonce: '0x63' }, { value: 'none' }])
      expect(transactionContradiction({ ...transaction, ...changes } as RpcTransaction)).toEqual({
        check: 'transactionsRoot',
        text,
      });
    expect(transactionContradiction({ ...transaction, type: '0x63' } as RpcTransaction)).toBeUndefined();
  },
);

const withTransactions = (transactions: readonly RpcTransaction[]) => ({ ...BLOCK, transactions }) as RpcBlock;
const moved = [...TRANSACTIONS].reverse();

test.each<[string, readonly RpcTransaction[], string | undefined]>([
  ['the transactions of the block', TRANSACTIONS, undefined],
  ['no transactions', [], undefined],
  ['another order', moved, 'the transactions of block 16 do not have its transactionsRoot'],
  ['another nonce', changed(moved, 1, { nonce: '0x63' }), `transaction ${moved[1]!.hash} does not have its hash`],
  ['another order and an unknown type', changed(moved, 1, { type: '0x63' }), undefined],
])('transactions root: %s', (_case, transactions, text) => {
  for (let i = 0; i < 2; i++)
    expect(finishSteps(transactionsRootContradiction(withTransactions(transactions)))).toEqual(
      text === undefined ? undefined : { check: 'transactionsRoot', text },
    );
});

test('only a root of transactions with blobs, of a single endpoint, may cover the blobs', () => {
  const contradiction = { check: 'transactionsRoot', text: '' } as const;
  const withoutBlobs = TRANSACTIONS.filter(({ type }) => type !== '0x3');
  expect(isRootOfBlobs(contradiction, BLOCK, 1)).toBe(true);
  expect(isRootOfBlobs(undefined, BLOCK, 1)).toBe(false);
  expect(isRootOfBlobs(contradiction, BLOCK, 2)).toBe(false);
  expect(isRootOfBlobs(contradiction, withTransactions(withoutBlobs), 1)).toBe(false);
  expect(isRootOfBlobs(contradiction, withTransactions(changed(TRANSACTIONS, 0, { nonce: '0x63' })), 1)).toBe(false);
});
