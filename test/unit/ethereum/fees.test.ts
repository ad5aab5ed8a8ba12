import { expect, test } from '@jest/globals';
import { effectiveGasPrice, effectiveTip } from '../../../src/ethereum/fees.ts';
import type { RpcTransaction } from '../../../src/ethereum/rpc-types.ts';

const gwei = (amount: number) => `0x${(BigInt(amount) * 10n ** 9n).toString(16)}`;
const legacy = (gasPrice: number) => ({ gasPrice: gwei(gasPrice) });
const feeMarket = (max: number, priority: number, gasPrice = max) => ({
  gasPrice: gwei(gasPrice),
  maxFeePerGas: gwei(max),
  maxPriorityFeePerGas: gwei(priority),
});

test.each<[string, Partial<RpcTransaction>, string | null | undefined, string | null]>([
  ['a legacy one before London is its whole price', legacy(20), null, gwei(20)],
  ['a legacy one from a node that leaves the base fee out is its whole price', legacy(20), undefined, gwei(20)],
  ['a legacy one is what its price leaves above the base fee', legacy(20), gwei(15), gwei(5)],
  ['a legacy one at the base fee is nothing', legacy(15), gwei(15), '0x0'],
  ['a legacy one below the base fee is null', legacy(14), gwei(15), null],
  ['a fee-market one with room is its priority fee', feeMarket(100, 2), gwei(15), gwei(2)],
  ['a fee-market one without room is what is left', feeMarket(16, 2), gwei(15), gwei(1)],
  ['a fee-market one with exactly enough room is its priority fee', feeMarket(17, 2), gwei(15), gwei(2)],
  ['a fee-market one that offers none is nothing', feeMarket(100, 0), gwei(15), '0x0'],
  ['a fee-market one at the base fee is nothing', feeMarket(15, 2), gwei(15), '0x0'],
  ['a fee-market one below the base fee is null', feeMarket(14, 2), gwei(15), null],
  ['a free one that a rollup put in is null', { ...legacy(0), maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }, gwei(1), null],
  [
    'a legacy one with nulls for the fee market is reckoned by price',
    { ...legacy(20), maxFeePerGas: null, maxPriorityFeePerGas: null },
    gwei(15),
    gwei(5),
  ],
  ['one above 2^64 wei keeps every digit', { gasPrice: `0x${'f'.repeat(32)}` }, '0x1', `0x${'f'.repeat(31)}e`],
])('the effective tip of %s', (_case, transaction, baseFee, tip) => {
  expect(effectiveTip(transaction as RpcTransaction, baseFee)).toBe(tip);
});

test.each<[string, Partial<RpcTransaction>, string]>([
  ['a price that is missing', {}, '0x1'],
  ['a price that is no number', { gasPrice: 'free' }, '0x1'],
  ['a base fee that is no number', legacy(20), '0x'],
])('%s is UPSTREAM_BAD_RESPONSE', (_case, transaction, baseFee) => {
  expect(() => effectiveTip(transaction as RpcTransaction, baseFee)).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
  );
});

test.each<[string, Partial<RpcTransaction>, string | null, string | null]>([
  ['a legacy one is its own', legacy(20), gwei(15), gwei(20)],
  ['a fee-market one with room is base fee and priority fee', feeMarket(100, 2), gwei(15), gwei(17)],
  ['a fee-market one without room is the most that it may pay', feeMarket(16, 2), gwei(15), gwei(16)],
  ['a fee-market one that cannot be in the block is null', feeMarket(14, 2), gwei(15), null],
])('the gas price in a block of %s', (_case, transaction, baseFee, expected) => {
  expect(effectiveGasPrice(transaction as RpcTransaction, baseFee)).toBe(expected);
});
