import { RLP } from '@ethereumjs/rlp';
import { expect, test } from '@jest/globals';
import {
  asData,
  asFields,
  asList,
  asOptionalData,
  asQuantity,
  rlpBytes,
  rlpInteger,
  rlpList,
} from '../../../../src/ethereum/encoding/rlp.ts';

const reference = (input: Parameters<typeof RLP.encode>[0]): string => Buffer.from(RLP.encode(input)).toString('hex');

test.each([0, 1, 2, 55, 56, 57, 255, 256, 65_535, 65_536])('bytes of length %d are encoded as by @ethereumjs/rlp', (length) => {
  const bytes = Buffer.alloc(length, 0xab);
  expect(rlpBytes(bytes.toString('hex'))).toBe(reference(bytes));
});

test.each(['00', '7f', '80', 'ff'])('the single byte %s is encoded as by @ethereumjs/rlp', (byte) => {
  expect(rlpBytes(byte)).toBe(reference(Buffer.from(byte, 'hex')));
});

test.each([0, 1, 54, 55, 56, 300])('a list of %d items is encoded as by @ethereumjs/rlp', (length) => {
  const items = Array.from({ length }, () => Uint8Array.of(5));
  expect(rlpList(items.map(() => '05'))).toBe(reference(items));
});

test.each([0, 1, 127, 128, 255, 256, 70_000])('the integer %d is encoded as by @ethereumjs/rlp', (value) => {
  expect(rlpInteger(value)).toBe(reference(value));
});

test.each([
  ['0x0', '80'],
  ['0x00', '80'],
  ['0x7f', '7f'],
  ['0x080', '8180'],
  ['0xABC', '820abc'],
  [5, '05'],
])('the quantity %s is encoded as %s, without leading zeros', (value, encoded) => {
  expect(asQuantity(value)).toBe(encoded);
});

test.each(['0x', '0xg1', '1.5', null, undefined, {}, -1, `0x1${'0'.repeat(64)}`])('%p is no quantity', (value) => {
  expect(asQuantity(value)).toBeUndefined();
});

test('absent data is empty only where it is optional', () => {
  expect([asOptionalData(null), asOptionalData(undefined), asData(null), asOptionalData('0xzz')]).toEqual([
    '80',
    '80',
    undefined,
    undefined,
  ]);
});

test('an object with a missing or malformed field has no encoding, also inside a list', () => {
  const encode = asList(asFields([['a', asData]]));
  expect(encode([{ a: '0xCAFE' }])).toBe(reference([[Buffer.from('cafe', 'hex')]]));
  for (const value of [[{}], [{ a: '0x1' }], [null], [[]], { a: '0x' }, undefined]) expect(encode(value)).toBeUndefined();
});
