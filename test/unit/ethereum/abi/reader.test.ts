import { expect, test } from '@jest/globals';
import { AbiCoder, ParamType } from 'ethers';
import { abiTypeOf, readArguments } from '../../../../src/ethereum/abi/reader.ts';
import { findAbiDifferences } from '../../../support/abi-fuzz.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const read = (types: readonly string[], digits: string) =>
  readArguments(
    types.map((type) => abiTypeOf(ParamType.from(type))),
    digits,
  );

test('readArguments agrees with ethers on random types, values and changed encodings', () => {
  const choices = createRandomChoices(16);
  expect(choices.many(60, () => findAbiDifferences(choices, 6)).flat()).toEqual([]);
});

test('readArguments reads integers of every size exactly', () => {
  const sizes = Array.from({ length: 32 }, (_none, i) => 8 * (i + 1));
  for (const bits of sizes) {
    const max = 2n ** BigInt(bits) - 1n;
    const min = -(2n ** BigInt(bits - 1));
    const data = AbiCoder.defaultAbiCoder().encode([`uint${bits}`, `int${bits}`, `int${bits}`], [max, min, -min - 1n]);
    expect(read([`uint${bits}`, `int${bits}`, `int${bits}`], data.slice(2))).toEqual([max, min, -min - 1n].map(String));
    if (bits === 256) continue;
    expect(read([`uint${bits}`], word(max + 1n))).toBeUndefined();
    expect(read([`int${bits}`], word(-min))).toBeUndefined();
    expect(read([`int${bits}`], word(BigInt.asUintN(256, min - 1n)))).toBeUndefined();
  }
});

test('readArguments reads tuples with names as objects, and others as lists', () => {
  const data = AbiCoder.defaultAbiCoder().encode(
    ['tuple(uint8 a, string[] b)', 'tuple(bool, bytes2 x)'],
    [
      [1, ['p', 'q']],
      [true, '0xabcd'],
    ],
  );
  const types = ['tuple(uint8 a, string[] b)', 'tuple(bool, bytes2 x)'];
  expect(read(types, data.slice(2))).toEqual([{ a: '1', b: ['p', 'q'] }, [true, '0xabcd']]);
});

test.each<[string, string[], string]>([
  ['a missing word', ['uint256', 'uint256'], word(1)],
  ['a truncated word', ['uint256'], word(1).slice(2)],
  ['a further word', ['uint256'], word(1) + word(0)],
  ['a further byte', ['bool'], `${word(1)}00`],
  ['an address with more than 20 bytes', ['address'], word(1n << 160n)],
  ['a bool that is 2', ['bool'], word(2)],
  ['bytes4 with a fifth byte', ['bytes4'], `12345678${'01'.padEnd(56, '0')}`],
  ['an offset into the head', ['bytes'], word(0) + word(0)],
  ['an offset behind the data', ['bytes'], word(64) + word(0)],
  ['a gap before the value', ['bytes'], word(64) + word(0) + word(0)],
  ['an offset above 2^53', ['bytes'], word(1n << 64n) + word(0)],
  ['two offsets to one value', ['bytes', 'bytes'], word(64) + word(64) + word(0)],
  ['values in another order', ['bytes', 'bytes'], word(96) + word(64) + word(0) + word(0)],
  ['a length behind the data', ['bytes'], word(32) + word(33) + word(0)],
  ['a length above 2^53', ['bytes'], word(32) + word(1n << 255n) + word(0)],
  ['padding that is not zero', ['bytes'], `${word(32)}${word(1)}ff${'01'.padStart(62, '0')}`],
  ['missing padding', ['bytes'], `${word(32)}${word(1)}ff`],
  ['a string that is not UTF-8', ['string'], `${word(32)}${word(1)}${'ff'.padEnd(64, '0')}`],
  ['an array that is longer than the data', ['uint8[]'], word(32) + word(2 ** 40) + word(0)],
  ['a fixed array that is longer than the data', ['uint8[1000000000]'], word(0)],
  ['an array of arrays that are longer than the data', ['uint8[][]'], word(32) + word(2 ** 30) + word(32)],
])('readArguments returns undefined for %s', (_case, types, digits) => {
  expect(read(types, digits)).toBeUndefined();
});
