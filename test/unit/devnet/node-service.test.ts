import { describe, expect, test } from '@jest/globals';
import { AbiCoder, encodeBytes32String, hexlify, toUtf8Bytes } from 'ethers';
import {
  addressParam,
  logFilterParam,
  quantityParam,
  readParams,
  stateBlockParam,
  stringParam,
} from '../../../devnet/src/node-service/rpc/params.ts';
import type { NodeRpcError } from '../../../devnet/src/node-service/rpc/rpc-error.ts';
import { createTokenMetadataMerger } from '../../../devnet/src/node-service/rpc/token-database.ts';
import { decodeTokenDecimals, decodeTokenText } from '../../../devnet/src/node-service/rpc/token-methods.ts';
import { matchesLogOptions } from '../../../devnet/src/node-service/subscriptions.ts';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B, C] = [word('a'), word('b'), word('c')];
const ADDRESS = `0x${'1'.repeat(40)}`;

describe('matchesLogOptions', () => {
  const log = { address: ADDRESS, topics: [A, B] };
  test.each<[string, unknown[], boolean]>([
    ['[]', [], true],
    ['[A]', [A], true],
    ['[B]', [B], false],
    ['[A, B]', [A, B], true],
    [
      '[[A, B], [A, B]]',
      [
        [A, B],
        [A, B],
      ],
      true,
    ],
    ['[[B, C]]', [[B, C]], false],
    ['[null, null, C]', [null, null, C], false],
  ])('matchesLogOptions applies the topics %s', (_case, topics, isMatch) => {
    expect(matchesLogOptions(log, { topics: topics as never })).toBe(isMatch);
  });

  test.each<[string, unknown, boolean]>([
    ['of the log', ADDRESS, true],
    ['that lists the address of the log', [`0x${'2'.repeat(40)}`, ADDRESS], true],
    ['that is an empty list', [], true],
    ['that is null', null, true],
  ])('matchesLogOptions applies an address option %s', (_case, addresses, isMatch) => {
    expect(matchesLogOptions(log, { address: addresses as never })).toBe(isMatch);
  });
});

describe('token metadata decoding', () => {
  const encode = (text: string) => AbiCoder.defaultAbiCoder().encode(['string'], [text]);
  test.each<[string, string, string | null]>([
    ['a string', encode('Mana'), 'Mana'],
    ['an empty string', encode(''), ''],
    ['bytes32', encodeBytes32String('RUNE'), 'RUNE'],
    ['bytes32 without a trailing zero', hexlify(toUtf8Bytes('y'.repeat(32))), 'y'.repeat(32)],
    ['invalid UTF-8', word('f'), null],
    ['a truncated string', encode('Mana').slice(0, -64), null],
  ])('decodeTokenText decodes %s', (_case, result, text) => {
    expect(decodeTokenText(result)).toBe(text);
  });

  test.each<[string, string, number | null]>([
    ['18', `0x${'12'.padStart(64, '0')}`, 18],
    ['0', `0x${'0'.repeat(64)}`, 0],
    ['a value above 255', `0x${'100'.padStart(64, '0')}`, null],
    ['an empty result', '0x', null],
  ])('decodeTokenDecimals decodes %s', (_case, result, decimals) => {
    expect(decodeTokenDecimals(result)).toBe(decimals);
  });
});

describe('token metadata merger', () => {
  const emitted = { name: 'Onchain', symbol: null, decimals: 18 };
  test.each([
    ['an empty entry', {}, { ...emitted, logo: null }],
    ['a symbol that the contract lacks', { symbol: 'S' }, { ...emitted, symbol: 'S', logo: null }],
    ['a logo', { logo: 'https://l' }, { ...emitted, logo: 'https://l' }],
  ])('token metadata merger with %s in the database', (_case, entry, merged) => {
    expect(createTokenMetadataMerger({ [ADDRESS.toUpperCase().replace('0X', '0x')]: entry })(ADDRESS, emitted)).toEqual(merged);
  });
});

describe('RPC parameters', () => {
  const errorMessage = (read: () => unknown) => {
    try {
      return String(read());
    } catch (error) {
      expect(error).toMatchObject({ code: -32602 });
      return (error as NodeRpcError).message;
    }
  };

  test('readParams reads parameters by position, and its errors name the invalid position', () => {
    expect(readParams([addressParam, quantityParam], [`0x${'AB'.repeat(20)}`, '0x0'])).toEqual([`0x${'ab'.repeat(20)}`, '0x0']);
    expect(errorMessage(() => readParams([stringParam], []))).toBe('missing value for required argument 0');
    expect(errorMessage(() => readParams([stringParam], ['a', 'b']))).toBe('too many arguments, want at most 1');
    expect(errorMessage(() => readParams([stringParam, quantityParam], ['a', '0x']))).toBe('invalid argument 1: want QUANTITY');
    expect(errorMessage(() => readParams([logFilterParam], [{ topics: [A, 'x'] }]))).toMatch(
      /^invalid argument 0\.topics\.1: want null/,
    );
    expect(errorMessage(() => readParams([stateBlockParam], ['newest']))).toBe('invalid argument 0: want QUANTITY|TAG');
  });
});
