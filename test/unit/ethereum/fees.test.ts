import { expect, test } from '@jest/globals';
import type { RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { effectiveGasPrice, effectiveTip } from '../../../src/ethereum/transaction-values.ts';

const gwei = (amount: number) => `0x${(BigInt(amount) * 10n ** 9n).toString(16)}`;
const legacy = (gasPrice: number) => ({ gasPrice: gwei(gasPrice) });
const eip1559 = (max: number, priority: number, gasPrice = max) => ({
  gasPrice: gwei(gasPrice),
  maxFeePerGas: gwei(max),
  maxPriorityFeePerGas: gwei(priority),
});

test.each<[string, Partial<RpcTransaction>, string | null | undefined, string | null]>([
  ['a legacy transaction before London returns the gas price', legacy(20), null, gwei(20)],
  ['a legacy transaction without a base fee returns the gas price', legacy(20), undefined, gwei(20)],
  ['a legacy transaction returns the gas price minus the base fee', legacy(20), gwei(15), gwei(5)],
  ['a legacy transaction at the base fee returns zero', legacy(15), gwei(15), '0x0'],
  ['a legacy transaction below the base fee returns null', legacy(14), gwei(15), null],
  ['an EIP-1559 transaction with a high maximum fee returns the priority fee', eip1559(100, 2), gwei(15), gwei(2)],
  [
    'an EIP-1559 transaction with a low maximum fee returns the maximum fee minus the base fee',
    eip1559(16, 2),
    gwei(15),
    gwei(1),
  ],
  [
    'an EIP-1559 transaction with a maximum fee of base fee and priority fee returns the priority fee',
    eip1559(17, 2),
    gwei(15),
    gwei(2),
  ],
  ['an EIP-1559 transaction without a priority fee returns zero', eip1559(100, 0), gwei(15), '0x0'],
  ['a transaction without a price returns null in a block with a base fee', {}, gwei(1), null],
  ['a transaction without a price returns zero without a base fee', {}, null, '0x0'],
  ['an EIP-1559 transaction at the base fee returns zero', eip1559(15, 2), gwei(15), '0x0'],
  ['an EIP-1559 transaction below the base fee returns null', eip1559(14, 2), gwei(15), null],
  [
    'a free system transaction of a rollup returns null',
    { ...legacy(0), maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
    gwei(1),
    null,
  ],
  ['a transaction without any price returns null', {}, '0x1', null],
  [
    'a legacy transaction with null EIP-1559 fees uses the gas price',
    { ...legacy(20), maxFeePerGas: null, maxPriorityFeePerGas: null },
    gwei(15),
    gwei(5),
  ],
  [
    'a tip above 2^64 wei is computed without loss of precision',
    { gasPrice: `0x${'f'.repeat(32)}` },
    '0x1',
    `0x${'f'.repeat(31)}e`,
  ],
])('effectiveTip for %s', (_case, transaction, baseFee, tip) => {
  expect(effectiveTip(transaction as RpcTransaction, baseFee)).toBe(tip);
});

test.each<[string, Partial<RpcTransaction>, string]>([
  ['a fee-market transaction without a gas price and a priority fee', { maxFeePerGas: '0x9' }, '0x1'],
  ['an invalid gas price', { gasPrice: 'free' }, '0x1'],
  ['an invalid base fee', legacy(20), '0x'],
])('effectiveTip throws UPSTREAM_BAD_RESPONSE for %s', (_case, transaction, baseFee) => {
  expect(() => effectiveTip(transaction as RpcTransaction, baseFee)).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
  );
});

test.each<[string, Partial<RpcTransaction>, string | null, string | null]>([
  ['a legacy transaction returns its own', legacy(20), gwei(15), gwei(20)],
  ['an EIP-1559 transaction with a high maximum fee returns base fee plus priority fee', eip1559(100, 2), gwei(15), gwei(17)],
  ['an EIP-1559 transaction with a low maximum fee returns the maximum fee', eip1559(16, 2), gwei(15), gwei(16)],
  ['an EIP-1559 transaction below the base fee returns null', eip1559(14, 2), gwei(15), null],
])('effectiveGasPrice for %s', (_case, transaction, baseFee, expected) => {
  expect(effectiveGasPrice(transaction as RpcTransaction, baseFee)).toBe(expected);
});
