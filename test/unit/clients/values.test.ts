import { expect, test } from '@jest/globals';
import * as ethers from 'ethers';
import * as viem from 'viem';
import {
  formatEther,
  formatGwei,
  formatUnits,
  isSameHex,
  parseEther,
  parseGwei,
  parseUnits,
  shortHex,
  toBigInt,
  toDate,
  toHex,
  toNumber,
} from '../../../clients/js/src/index.ts';
import { random } from '../../support/random-tests.ts';

const MAX_UINT256 = 2n ** 256n - 1n;

test('hex, decimal text and numbers convert to bigint', () => {
  expect(toBigInt('0x2a')).toBe(42n);
  expect(toBigInt('-42')).toBe(-42n);
  expect(toBigInt(7)).toBe(7n);
  expect(toBigInt(toHex(MAX_UINT256))).toBe(MAX_UINT256);
});

test.each(['', 'x', '0x', '1.5'])('%j is not converted to a bigint', (text) => {
  expect(() => toBigInt(text)).toThrow();
});

test('a number that is not exact is rejected', () => {
  expect(toNumber('0x1fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => toNumber('0x20000000000000')).toThrow(RangeError);
});

test('a negative number has no hex for a variable', () => {
  expect(() => toHex(-1)).toThrow(RangeError);
});

test('a timestamp and a DateTime convert to a Date', () => {
  expect(toDate('0x3e8').toISOString()).toBe('1970-01-01T00:16:40.000Z');
  expect(toDate('2026-01-01T00:00:00.000Z').getUTCFullYear()).toBe(2026);
});

test('amounts are formatted and parsed as viem and ethers do it', () => {
  const next = random(7);
  for (let i = 0; i < 200; i++) {
    const decimals = Math.floor(next() * 20);
    const amount = BigInt(Math.floor(next() * 1e15)) ** 2n;
    const text = formatUnits(amount, decimals);
    expect(text).toBe(viem.formatUnits(amount, decimals));
    expect(ethers.parseUnits(text, decimals)).toBe(amount);
    expect(parseUnits(text, decimals)).toBe(amount);
  }
  expect(formatEther(parseEther('-1.50'))).toBe('-1.5');
  expect(formatGwei(parseGwei('3'))).toBe('3');
  expect(formatUnits('0x0', 18)).toBe('0');
});

test.each(['', '1e5', '.5', '1.', '0x1', '1,5'])('%j is no amount', (text) => {
  expect(() => parseUnits(text, 18)).toThrow(TypeError);
});

test('an amount with more decimal places than its unit is rejected', () => {
  expect(() => parseUnits('0.1234567', 6)).toThrow(RangeError);
  expect(parseUnits('0.1200000000', 2)).toBe(12n);
});

test('hex of the graph and checksummed hex of viem and ethers are equal', () => {
  const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
  expect(isSameHex(address, viem.getAddress(address))).toBe(true);
  expect(isSameHex(address, ethers.getAddress(address))).toBe(true);
  expect(shortHex(address)).toBe('0xd8da…6045');
  expect(shortHex('0x12')).toBe('0x12');
});

test.each(['', ' ', '\n', '0b11', '0o17'])('%j is no integer of the graph', (text) => {
  for (const convert of [toBigInt, toNumber]) expect(() => convert(text)).toThrow(TypeError);
});
