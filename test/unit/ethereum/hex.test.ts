import { expect, test } from '@jest/globals';
import { isNumberOrNullish } from '../../../src/ethereum/block-results.ts';
import { isBlockHash, isData, isQuantity, quantityOf, toBigInt, toData, toQuantity } from '../../../src/ethereum/hex.ts';

const MAX_64 = 2n ** 64n - 1n;
const MAX_256 = 2n ** 256n - 1n;

test.each<[string, unknown, string]>([
  ['the JSON integer 0', 0, '0x0'],
  ['the JSON integer 42', 42, '0x2a'],
  ['negative zero', -0, '0x0'],
  ['the largest safe JSON integer', Number.MAX_SAFE_INTEGER, '0x1fffffffffffff'],
  ['a decimal string', '42', '0x2a'],
  ['a decimal string with leading zeros', '00042', '0x2a'],
  ['the decimal string 0', '0', '0x0'],
  ['a decimal string of zeros', '000', '0x0'],
  ['minimal hex', '0x2a', '0x2a'],
  ['hex with leading zeros', '0x00002a', '0x2a'],
  ['hex of zeros', '0x0000', '0x0'],
  ['upper-case digits', '0xABCDEF', '0xabcdef'],
  ['2^64 - 1 in decimal', String(MAX_64), '0xffffffffffffffff'],
  ['2^64 - 1 in hex', '0xffffffffffffffff', '0xffffffffffffffff'],
  ['2^64 - 1 after many zeros', `0x${'0'.repeat(100)}ffffffffffffffff`, '0xffffffffffffffff'],
  ['2^64 - 1 in decimal after many zeros', `${'0'.repeat(100)}${MAX_64}`, '0xffffffffffffffff'],
])('toQuantity with 64 bits converts %s', (_case, input, quantity) => {
  expect(toQuantity(input, 64)).toBe(quantity);
});

test.each<[string, unknown]>([
  ['2^64 in decimal', String(MAX_64 + 1n)],
  ['2^64 in hex', '0x10000000000000000'],
  ['a negative JSON integer', -1],
  ['a negative decimal string', '-1'],
  ['a signed decimal string', '+1'],
  ['negative hex', '-0x1'],
  ['a fraction', 1.5],
  ['a fraction as a string', '1.5'],
  ['an exponent as a string', '1e3'],
  ['a JSON integer above 2^53', 2 ** 53],
  ['infinity', Number.POSITIVE_INFINITY],
  ['not-a-number', Number.NaN],
  ['an empty string', ''],
  ['a bare prefix', '0x'],
  ['an upper-case prefix', '0X2a'],
  ['hex digits without a prefix', '2a'],
  ['a digit beyond hex', '0x2g'],
  ['a space before', ' 42'],
  ['a line break at the end', '42\n'],
  ['a line break after hex', '0x2a\n'],
  ['only white space', ' '],
  ['underscores', '1_000'],
  ['digits of another script', '٤٢'],
  ['full-width digits', '４２'],
  ['a superscript', '4²'],
  ['null', null],
  ['nothing', undefined],
  ['a bigint', 42n],
  ['true', true],
  ['a list', [42]],
  ['an object', { value: 42 }],
  ['a million decimal digits', '9'.repeat(1_000_000)],
  ['a million hex digits', `0x${'f'.repeat(1_000_000)}`],
  ['a million zeros and a letter', `${'0'.repeat(1_000_000)}g`],
])('toQuantity with 64 bits returns undefined for %s', (_case, input) => {
  expect(toQuantity(input, 64)).toBeUndefined();
});

test.each<[string, string, string | undefined]>([
  ['2^256 - 1 in decimal', String(MAX_256), quantityOf(MAX_256)],
  ['2^256 - 1 in hex', quantityOf(MAX_256), quantityOf(MAX_256)],
  ['2^256 in decimal', String(MAX_256 + 1n), undefined],
  ['2^256 in hex', quantityOf(MAX_256 + 1n), undefined],
  ['the largest decimal of 78 digits', '9'.repeat(78), undefined],
  ['a million decimal digits', '1'.repeat(1_000_000), undefined],
])('toQuantity with 256 bits converts %s, or returns undefined', (_case, input, quantity) => {
  expect(toQuantity(input, 256)).toBe(quantity);
});

test.each<[string, boolean, unknown]>([
  ['0x0', true, '0x0'],
  ['minimal hex', true, '0x2a'],
  ['2^64 - 1', true, '0xffffffffffffffff'],
  ['2^64', false, '0x10000000000000000'],
  ['a leading zero', false, '0x02a'],
  ['upper case', false, '0x2A'],
  ['a bare prefix', false, '0x'],
  ['a number', false, 42],
  ['null', false, null],
])('isQuantity with 64 bits for %s returns %s', (_case, expected, value) => {
  expect(isQuantity(value, 64)).toBe(expected);
});

test.each<[string, unknown, number | undefined, string | undefined]>([
  ['no bytes', '0x', undefined, '0x'],
  ['two bytes', '0xcafe', undefined, '0xcafe'],
  ['upper case', '0xCAFE', undefined, '0xcafe'],
  ['mixed case of the right length', '0xCaFe', 2, '0xcafe'],
  ['another length', '0xcafe', 3, undefined],
  ['half a byte', '0xcaf', undefined, undefined],
  ['no prefix', 'cafe', undefined, undefined],
  ['an upper-case prefix', '0XCAFE', undefined, undefined],
  ['a digit beyond hex', '0xcafg', undefined, undefined],
  ['a line break at the end', '0xcafe\n', undefined, undefined],
  ['a number', 0xcafe, undefined, undefined],
  ['null', null, undefined, undefined],
])('toData converts %s, or returns undefined', (_case, input, bytes, data) => {
  expect(toData(input, bytes)).toBe(data);
});

test.each<[string, boolean, unknown, number | undefined]>([
  ['lower case', true, '0xcafe', undefined],
  ['the right length', true, '0xcafe', 2],
  ['another length', false, '0xcafe', 1],
  ['upper case', false, '0xCAFE', undefined],
  ['half a byte', false, '0xcaf', undefined],
  ['no prefix', false, 'cafe', undefined],
  ['a digit beyond hex', false, '0xcafg', undefined],
  ['a first digit beyond hex', false, '0xgafe', undefined],
  ['a character that is a digit in its lowest byte', false, '0xcaf\u0130', undefined],
  ['nothing', false, undefined, undefined],
])('isData for %s returns %s', (_case, expected, value, bytes) => {
  expect(isData(value, bytes)).toBe(expected);
});

test.each<[string, string, bigint]>([
  ['minimal hex', '0x2a', 42n],
  ['leading zeros', '0x002a', 42n],
  ['2^256 - 1', quantityOf(MAX_256), MAX_256],
])('toBigInt converts a quantity in %s', (_case, quantity, value) => {
  expect(toBigInt(quantity)).toBe(value);
});

test.each<[string, unknown]>([
  ['a bare prefix', '0x'],
  ['decimal text', '42'],
  ['a number', 42],
  ['null', null],
  ['more than 256 bits', `0x1${'0'.repeat(64)}`],
  ['text', 'many'],
])('toBigInt throws UPSTREAM_BAD_RESPONSE without the value for %s', (_case, value) => {
  expect(() => toBigInt(value)).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE', message: 'Invalid result of the node: expected a number.' }),
  );
});

test.each<[string, boolean, string]>([
  ['a hash', true, `0x${'ab'.repeat(32)}`],
  ['a height', false, '0x14'],
  ['a tag', false, 'finalized'],
])('isBlockHash for %s returns %s', (_case, expected, ref) => {
  expect(isBlockHash(ref)).toBe(expected);
});

test.each<[boolean, readonly unknown[]]>([
  [true, [null, undefined, '0x1f', '0x01', '0xAB', '31', 31]],
  [false, ['soon', '0x', {}, -1, `0x1${'0'.repeat(16)}`]],
])('a result may have a number of any notation, or none: %s', (expected, values) => {
  expect(values.map(isNumberOrNullish)).toEqual(values.map(() => expected));
});
