import { expect, test } from '@jest/globals';
import { boolean, data, list, nullable, object, quantity, versionString, word } from '../../../src/ethereum/decoders.ts';

type Decode = (value: unknown) => unknown;
const zeros = (digits: string) => `0x${digits.padStart(64, '0')}`;

test.each<[string, Decode, unknown, unknown]>([
  ['a standard quantity', quantity, '0x2a', '0x2a'],
  ['a quantity with leading zeros and upper case', quantity, '0x002A', '0x2a'],
  ['a quantity as a JSON number', quantity, 42, '0x2a'],
  ['bytes in lower case', data, '0xcafe', '0xcafe'],
  ['bytes in upper case', data, '0xCAFE', '0xcafe'],
  ['no bytes', data, '0x', '0x'],
  ['a word of 32 bytes', word, zeros('2a'), zeros('2a')],
  ['a short word', word, '0x2A', zeros('2a')],
  ['a word with an odd number of digits', word, '0x0', zeros('')],
  ['an empty word', word, '0x', zeros('')],
  ['true', boolean, true, true],
  ['an id', versionString, '1', '1'],
  ['a version', versionString, 'eth/68', 'eth/68'],
  ['a version that is a number', versionString, 65, '65'],
  ['an object with any properties', object(), { any: 'thing' }, { any: 'thing' }],
  ['an empty list', list(data), [], []],
  ['a list of bytes', list(data), ['0xCA', '0xfe'], ['0xca', '0xfe']],
  ['null for a nullable decoder', nullable(data), null, null],
  ['undefined for a nullable decoder', nullable(data), undefined, null],
  ['a value for a nullable decoder', nullable(data), '0xca', '0xca'],
])('a decoder reads %s', (_case, decode, value, result) => {
  expect(decode(value)).toEqual(result);
});

test.each<[string, Decode, unknown]>([
  ['a quantity above 256 bits', quantity, `0x1${'0'.repeat(64)}`],
  ['a quantity that is a bare prefix', quantity, '0x'],
  ['a quantity that is null', quantity, null],
  ['a negative quantity', quantity, -1],
  ['half a byte', data, '0xc'],
  ['bytes that are null', data, null],
  ['a word of 33 bytes', word, `0x${'00'.repeat(33)}`],
  ['a word that is a number', word, 0],
  ['a boolean in quotes', boolean, 'true'],
  ['a boolean that is 1', boolean, 1],
  ['a version that is an object', versionString, {}],
  ['a version that is null', versionString, null],
  ['a version that is a sentence', versionString, 'see http://node.example/v2/key'],
  ['a version that is an address', versionString, 'node.example/v2/0123456789abcdef'],
  ['an object that is null', object(), null],
  ['an object that is a list', object(), []],
  ['an object that is text', object(), '{}'],
  ['a list that is null', list(data), null],
  ['a list that is an object', list(data), { length: 0 }],
  ['a list with one invalid item', list(data), ['0xca', null]],
  ['an invalid value for a nullable decoder', nullable(data), false],
])('a decoder throws UPSTREAM_BAD_RESPONSE for %s', (_case, decode, value) => {
  expect(() => decode(value)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});

test('the error of a decoder does not contain the value', () => {
  expect(() => data('a text with a key in it')).toThrow('Invalid result of the node: expected bytes.');
});
