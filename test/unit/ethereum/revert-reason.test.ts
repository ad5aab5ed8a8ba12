import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { decodeRevertReason } from '../../../src/ethereum/revert-error.ts';

const errors = new Interface(['error Error(string)', 'error Panic(uint256)', 'error InsufficientBalance(uint256,uint256)']);
const errorPayload = (text: string) => errors.encodeErrorResult('Error', [text]);
const panicPayload = (code: bigint) => errors.encodeErrorResult('Panic', [code]);

const uint = (value: number) => value.toString(16).padStart(64, '0');

describe('decodeRevertReason', () => {
  test.each<[string, string]>([
    ['a short text', 'Not enough Ether provided.'],
    ['an empty text', ''],
    ['a text of several words of 32 bytes', 'too long '.repeat(50)],
    ['a text beyond ASCII', 'solde insuffisant : 10 €'],
  ])('decodeRevertReason returns %s of Error(string)', (_case, text) => {
    expect(decodeRevertReason(errorPayload(text))).toBe(text);
  });

  test.each<[string, bigint, string]>([
    ['a failed assertion', 0x01n, 'Panic(0x01): assertion failed'],
    ['an arithmetic overflow', 0x11n, 'Panic(0x11): arithmetic overflow or underflow'],
    ['a division by zero', 0x12n, 'Panic(0x12): division or modulo by zero'],
    ['an index out of bounds', 0x32n, 'Panic(0x32): array index out of bounds'],
    ['a code without a documented meaning', 0x99n, 'Panic(0x99)'],
    ['the largest code', 2n ** 256n - 1n, `Panic(0x${'f'.repeat(64)})`],
  ])('decodeRevertReason describes %s of Panic(uint256)', (_case, code, reason) => {
    expect(decodeRevertReason(panicPayload(code))).toBe(reason);
  });

  test.each<[string, string]>([
    ['an empty payload', '0x'],
    ['less than a selector', '0x08c379'],
    ['a custom error', errors.encodeErrorResult('InsufficientBalance', [1n, 2n])],
    ['Error(string) without arguments', '0x08c379a0'],
    ['Error(string) with a length beyond its end', `0x08c379a0${uint(32)}${uint(33)}${'61'.repeat(32)}`],
    [
      'Error(string) with a length of 2^64',
      `0x08c379a0${uint(32)}${(2n ** 64n).toString(16).padStart(64, '0')}${'61'.repeat(32)}`,
    ],
    ['Error(string) with a text that is not padded', `0x08c379a0${uint(32)}${uint(3)}616263`],
    ['Error(string) with another offset', `0x08c379a0${uint(64)}${uint(0)}${uint(1)}${'61'.repeat(32)}`],
    ['Error(string) with an offset beyond its end', `0x08c379a0${uint(4096)}${uint(1)}${'61'.repeat(32)}`],
    ['Error(string) with bytes that are not UTF-8', `0x08c379a0${uint(32)}${uint(2)}c328${'00'.repeat(30)}`],
    ['Panic(uint256) with a truncated code', `0x4e487b71${'00'.repeat(31)}`],
  ])('decodeRevertReason returns null for %s', (_case, payload) => {
    expect(decodeRevertReason(payload)).toBeNull();
  });
});
