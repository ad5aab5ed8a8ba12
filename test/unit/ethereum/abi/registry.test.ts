import { describe, expect, test } from '@jest/globals';
import { AbiCoder, Interface, ParamType } from 'ethers';
import { parseAbi } from '../../../../src/ethereum/abi/parse.ts';
import { abiTypeOf, readArguments } from '../../../../src/ethereum/abi/reader.ts';
import { type ConfiguredAbi, createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';
import { ALICE, abiOf, BOB, CONTRACT, callInput, errorPayload, eventLog, lineOf } from '../../../support/abi-fixtures.ts';
import { findAbiDifferences } from '../../../support/abi-fuzz.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';

describe('registry', () => {
  const standards = createAbiRegistry();

  describe('values', () => {
    test('an indexed string, bytes, array or tuple is its hash, with its own type', () => {
      const inputs = [
        { name: 'a', type: 'string', indexed: true },
        { name: 'b', type: 'uint256[]', indexed: true },
        { name: 'c', type: 'tuple', indexed: true, components: [{ name: 'x', type: 'uint256' }] },
      ];
      const abi = [{ type: 'event', name: 'E', inputs }];
      const hashes = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(32)}`);
      const topics = [new Interface(abi).getEvent('E')!.topicHash, ...hashes];
      const registry = createAbiRegistry([{ address: null, ...parseAbi(abi) }]);
      expect(
        registry
          .decodeEvent({ address: CONTRACT, topics, data: '0x' })
          ?.arguments.map(({ type, indexed, value }) => [type, indexed, value]),
      ).toEqual([
        ['string', true, hashes[0]],
        ['uint256[]', true, hashes[1]],
        ['(uint256)', true, hashes[2]],
      ]);
    });

    test('a string is unchanged at the top and JSON text inside an array', () => {
      const fragment = 'function f(string s, string[] t, bool b)';
      const registry = createAbiRegistry([abiOf(null, fragment)]);
      const decoded = registry.decodeCall(CONTRACT, callInput(fragment, '["\u0000"]', ['"\n'], false));
      expect(decoded?.arguments.map(({ value }) => value)).toEqual(['["\u0000"]', JSON.stringify(['"\n']), 'false']);
    });

    test('only an argument of type address has an account', () => {
      const fragment = 'function f(address a, address[] b, uint160 c)';
      const registry = createAbiRegistry([abiOf(null, fragment)]);
      const decoded = registry.decodeCall(CONTRACT, callInput(fragment, ALICE, [BOB], 10));
      expect(decoded?.arguments.map((argument) => argument.address)).toEqual([ALICE, null, null]);
    });

    test.each<[string, string | null, string]>([
      ['a contract creation', null, callInput('function transfer(address,uint256)', BOB, 7)],
      ['an empty input', CONTRACT, '0x'],
      ['an input of three bytes', CONTRACT, '0xa9059c'],
      ['a selector without arguments', CONTRACT, '0xa9059cbb'],
      ['an input with a further byte', CONTRACT, `${callInput('function transfer(address,uint256)', BOB, 7)}00`],
      ['an input without its last byte', CONTRACT, callInput('function transfer(address,uint256)', BOB, 7).slice(0, -2)],
    ])('decodeCall returns null for %s', (_case, to, input) => {
      expect(standards.decodeCall(to, input)).toBeNull();
    });

    test('a log in upper case is decoded like one in lower case', () => {
      const log = eventLog('event Transfer(address indexed from, address indexed to, uint256 value)', ALICE, BOB, 171);
      const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
      const decoded = standards.decodeEvent({ ...log, topics: log.topics.map(upper), data: upper(log.data) });
      expect(decoded).toEqual(standards.decodeEvent(log));
    });

    test('a transfer of ether (EIP-7708) has that standard in place of the standard of tokens', () => {
      const log = eventLog('event Transfer(address indexed from, address indexed to, uint256 value)', ALICE, BOB, 7);
      const decoded = standards.decodeEvent({ ...log, address: `0x${'f'.repeat(39)}e` });
      expect(decoded).toEqual({ ...standards.decodeEvent(log), standard: 'EIP-7708' });
    });

    test.each(['5', '0x0', '0xzz'])('data %j that is not bytes fails with UPSTREAM_BAD_RESPONSE', (data) => {
      const log = eventLog('event Transfer(address indexed from, address indexed to, uint256 value)', ALICE, BOB, 7);
      expect(() => standards.decodeEvent({ ...log, data })).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
    });

    test('a log without topics is null', () => {
      expect(standards.decodeEvent({ address: CONTRACT, topics: [], data: '0x' })).toBeNull();
    });
  });

  describe('describeError', () => {
    const own = abiOf(
      CONTRACT,
      'error InsufficientBalance(uint256 available, uint256 required)',
      'error Named(string, string reason)',
    );

    test.each<[string, string, string | null]>([
      [
        'its arguments by name',
        errorPayload('error InsufficientBalance(uint256, uint256)', 1, 2),
        'InsufficientBalance(available: 1, required: 2)',
      ],
      [
        'quoted strings',
        errorPayload('error Named(string, string)', 'a", reason: "b', 'c'),
        'Named("a\\", reason: \\"b", reason: "c")',
      ],
      [
        'an error of ERC-6093',
        errorPayload('error ERC20InsufficientBalance(address, uint256, uint256)', ALICE, 1, 2),
        `ERC20InsufficientBalance(sender: ${ALICE}, balance: 1, needed: 2)`,
      ],
      ['null for an unknown error', errorPayload('error Other()'), null],
      ['null for an empty payload', '0x', null],
      ['null for a payload with a further byte', `${errorPayload('error InsufficientBalance(uint256, uint256)', 1, 2)}00`, null],
    ])('describeError returns %s', (_case, payload, expected) => {
      expect(createAbiRegistry([own]).describeError(CONTRACT, payload)).toBe(expected);
    });

    test('describeError uses the ABI of the target first, then the ABIs for all contracts', () => {
      const payload = errorPayload('error InsufficientBalance(uint256, uint256)', 1, 2);
      const registry = createAbiRegistry([own, abiOf(null, 'error InsufficientBalance(uint256 a, uint256 b)')]);
      expect(registry.describeError(CONTRACT, payload)).toBe('InsufficientBalance(available: 1, required: 2)');
      expect(registry.describeError(BOB, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
      expect(registry.describeError(null, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
    });
  });
});

describe('precedence', () => {
  const transfer = callInput('function transfer(address,uint256)', BOB, 7);
  const own = abiOf(CONTRACT, 'function transfer(address a, uint256 b)');
  const global = abiOf(null, 'function transfer(address c, uint256 d)');
  const names = (abis: readonly ConfiguredAbi[], to = CONTRACT) =>
    createAbiRegistry(abis)
      .decodeCall(to, transfer)
      ?.arguments.map(({ name }) => name);

  test('the ABI of the address precedes the ABIs for all contracts, which precede the standards', () => {
    expect(names([own, global])).toEqual(['a', 'b']);
    expect(names([own, global], BOB)).toEqual(['c', 'd']);
    expect(names([own], BOB)).toEqual(['to', 'value']);
  });

  test('an address in mixed case has the ABI of its address', () => {
    expect(names([own], CONTRACT.toUpperCase().replace('X', 'x'))).toEqual(['a', 'b']);
  });

  test('a call by the ABI of an address has the standard of its signature', () => {
    expect(createAbiRegistry([own]).decodeCall(CONTRACT, transfer)?.standard).toBe('ERC-20');
  });

  test('names are null where two ABIs of one level differ', () => {
    expect(names([global, abiOf(null, 'function transfer(address c, uint256)')], BOB)).toEqual(['c', null]);
  });

  test('a log is null if two ABIs of one level index different parameters and both fit', () => {
    const one = abiOf(null, 'event E(uint256 indexed a, uint256 b)');
    const other = abiOf(null, 'event E(uint256 a, uint256 indexed b)');
    const log = eventLog('event E(uint256 indexed a, uint256 b)', 1, 2);
    expect(lineOf(createAbiRegistry([one]).decodeEvent(log))).toBe('null E(a uint256 = 1, b uint256 = 2)');
    expect(createAbiRegistry([one, other]).decodeEvent(log)).toBeNull();
  });

  test.each([
    ['tuple(uint256 a) t', 'tuple(uint256 b) t', [1], '{"a":"1"}'],
    ['tuple(uint256 a)[] t', 'tuple(uint256 b)[] t', [[1]], '[{"a":"1"}]'],
  ])('a call is null if two ABIs of one level declare %s and %s', (first, second, value, text) => {
    const input = callInput(`function f(${first})`, value);
    const [one, other] = [first, second].map((parameter) => abiOf(null, `function f(${parameter})`)) as [
      ConfiguredAbi,
      ConfiguredAbi,
    ];
    expect(createAbiRegistry([one]).decodeCall(CONTRACT, input)?.arguments[0]).toMatchObject({ name: 't', value: text });
    expect(createAbiRegistry([one, other]).decodeCall(CONTRACT, input)).toBeNull();
  });

  test('functions with the same selector are distinguished by their arguments, and null if both fit', () => {
    // Both have the selector 0x42966c68.
    const burn = abiOf(null, 'function burn(uint256 value)');
    const collision = abiOf(null, 'function collate_propagate_storage(bytes16 x)');
    const registry = createAbiRegistry([burn, collision]);
    expect(lineOf(registry.decodeCall(CONTRACT, callInput('function burn(uint256)', 7)))).toBe('null burn(value uint256 = 7)');
    expect(registry.decodeCall(CONTRACT, callInput('function burn(uint256)', 1n << 128n))).toBeNull();
  });

  test('the ABI of an address alone decides on the selectors that it has', () => {
    const registry = createAbiRegistry([abiOf(CONTRACT, 'event Transfer(address indexed a, address indexed b, uint256 c)')]);
    const log = eventLog('event Transfer(address indexed a, address indexed b, uint256 indexed c)', ALICE, BOB, 7);
    expect(registry.decodeEvent(log)).toBeNull();
    expect(registry.decodeEvent({ ...log, address: BOB })?.standard).toBe('ERC-721');
  });

  test('an ABI for all contracts that does not fit leaves the standards', () => {
    const registry = createAbiRegistry([abiOf(null, 'event Transfer(address indexed a, address indexed b, uint256 c)')]);
    const log = eventLog('event Transfer(address indexed a, address indexed b, uint256 indexed c)', ALICE, BOB, 7);
    expect(registry.decodeEvent(log)?.standard).toBe('ERC-721');
  });
});

describe('reader', () => {
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
});
