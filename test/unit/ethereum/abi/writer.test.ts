import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';
import { parseFunction } from '../../../../src/ethereum/abi/signature.ts';
import { type AbiInput, countArguments, encodeCall } from '../../../../src/ethereum/abi/writer.ts';
import { abiOf, BOB, CONTRACT } from '../../../support/abi-fixtures.ts';
import { findAbiDifferences } from '../../../support/abi-fuzz.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed } from '../../../support/random-tests.ts';

const encode = (text: string, ...args: AbiInput[]) => encodeCall(parseFunction(text).complete!, args);
const messageOf = (run: () => unknown): string => {
  try {
    return String(run());
  } catch (error) {
    return (error as Error).message;
  }
};

describe('encodeCall', () => {
  test('encodeCall agrees with ethers on random types and values', () => {
    const choices = createRandomChoices(readSeed());
    expect(choices.many(100, () => findAbiDifferences(choices, 0)).flat()).toEqual([]);
  });

  test('integers are decimal or hex, booleans also text, addresses have an optional checksum', () => {
    const abi = new Interface(['function f(int8, uint8, bool, address)']);
    const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
    const expected = abi.encodeFunctionData('f', [-128, 255, true, checksummed]);
    expect(encode('f(int8,uint8,bool,address)()', '-128', '0xFF', 'true', checksummed)).toBe(expected);
    expect(encode('f(int8,uint8,bool,address)()', '-0x80', '255', true, checksummed.toLowerCase())).toBe(expected);
  });

  test.each([
    ['f(uint8)()', '["256"]', 'Invalid `args[0]`. Pass an integer from 0 to 2^8 - 1, in decimal or 0x-hex, for uint8.'],
    ['f(uint8)()', '["-1"]', 'Invalid `args[0]`'],
    ['f(uint256)()', `["${'9'.repeat(100_000)}"]`, 'Invalid `args[0]`. Pass an integer from 0 to 2^256 - 1'],
    ['f(uint256)()', '["1.5"]', 'Invalid `args[0]`'],
    ['f(uint256)()', '[true]', 'Invalid `args[0]`'],
    ['f(uint256)()', '[["1"]]', 'Invalid `args[0]`'],
    ['f(int8)()', '["128"]', 'Invalid `args[0]`. Pass an integer from -2^7 to 2^7 - 1 for int8.'],
    ['f(int8)()', '["-129"]', 'Invalid `args[0]`'],
    ['f(bool)()', '["1"]', 'Invalid `args[0]`. Pass true or false for bool.'],
    ['f(bytes4)()', '["0x010203"]', 'Invalid `args[0]`. Pass 4 bytes as 0x-hex for bytes4.'],
    ['f(bytes)()', '["0x1"]', 'Invalid `args[0]`. Pass bytes as 0x-hex for bytes.'],
    ['f(string)()', '["\\ud800"]', 'Invalid `args[0]`. Pass text without unpaired surrogates for string.'],
    ['f(string)()', '[true]', 'Invalid `args[0]`'],
    ['f(address)()', '["0xD8da6bf26964af9d7eed9e03e53415d37aa96045"]', 'Invalid `args[0]`. Pass 20 bytes as 0x-hex, in mixed'],
    ['f(uint8,uint8[2][])()', '["1", [["1", "2"], ["3", "x"]]]', 'Invalid `args[1][1][1]`'],
    ['f(uint8[2][])()', '[[["1", "2"], ["3"]]]', 'Invalid `args[0][1]`. Pass a list of 2 values for uint8[2].'],
    ['f(uint8[])()', '["1"]', 'Invalid `args[0]`. Pass a list for uint8[].'],
    ['f((uint8,(bool,string)))()', '[["1", [true]]]', 'Invalid `args[0][1]`. Pass a list of 2 values for (bool,string).'],
    ['f(address,uint256)()', '["0x"]', 'Invalid `args`. Pass a list of 2 values for f(address,uint256).'],
  ])('an argument that does not fit %s is named by its position: %.60s', (text, args, expected) => {
    const message = messageOf(() => encode(text, ...JSON.parse(args)));
    expect(message).toContain(expected);
    expect(message.length).toBeLessThan(200);
  });
});

describe('parseFunction', () => {
  test.each<[string, string, string[] | null]>([
    ['balanceOf(address)(uint256)', 'balanceOf(address)', [' uint256']],
    ['function balanceOf(address owner) view returns (uint256 balance)', 'balanceOf(address)', ['balance uint256']],
    [' f ( uint , (int,bool)[2] memory x ) pure returns ( tuple(int b) c )', 'f(uint256,(int256,bool)[2])', ['c (int256)']],
    ['f()()', 'f()', []],
    ['f(uint)', 'f(uint256)', null],
  ])('parseFunction reads %s', (text, signature, outputs) => {
    const parsed = parseFunction(text);
    const given = parsed.complete?.outputs.parameters.map(({ name, type }) => `${name ?? ''} ${type}`) ?? null;
    expect([parsed.signature, given]).toEqual([signature, outputs]);
    expect(parseFunction(text)).toBe(parsed);
  });

  test.each([
    ...['', '()', 'f(', 'f(uint', 'f())', 'f()()()', 'f(foo)()', 'f(uint7)()', 'f(uint08)()', 'f(bytes33)()', 'f(function)()'],
    // Values without data: the decoded value could be larger than the returned data.
    ...['f()(uint[0])', 'f()(uint[0][1000000])', 'f()(()[])', 'f()(uint,())', 'f(mapping(uint=>uint))()', 'é()()', '0f()()'],
    ...[`f()(uint${'[]'.repeat(9)})`, `f(${'('.repeat(9)}uint${')'.repeat(9)})()`, `f(${'uint,'.repeat(20_000)}uint)()`],
    ...[`f${'('.repeat(999)}`, 'a'.repeat(1_001)],
  ])('parseFunction rejects %.40s', (text) => {
    const message = messageOf(() => parseFunction(text));
    expect(message).toMatch(/^Invalid `function`: .*\. Pass a signature with outputs, such as `balanceOf\(address\)\(uint256\)`/);
    expect(message.length).toBeLessThan(220);
  });
});

describe('findFunction', () => {
  const registry = createAbiRegistry([
    abiOf(
      CONTRACT,
      'function get() returns (uint8 a)',
      ...['uint8', 'uint8,bool', 'bool,uint8'].map((t) => `function set(${t})`),
    ),
    abiOf(null, 'function get() returns (uint16 b)', 'function all() returns (uint8 x)', 'function name() returns (bytes32)'),
    abiOf(null, 'function all() returns (uint8 y)', 'function two() returns (uint8)'),
    abiOf(null, 'function two() returns (uint16)'),
  ]);
  const find = (address: string, text: string, count = 0) => {
    const { signature, parameters } = registry.findFunction(address, parseFunction(text), count).outputs;
    return `${signature} ${parameters.map(({ name, type }) => `${name} ${type}`)}`;
  };

  test('the ABI of the contract precedes those for all contracts, which precede the standards', () => {
    expect(find(CONTRACT, 'get')).toBe('get() a uint8');
    expect(find(BOB, 'get')).toBe('get() b uint16');
    expect(find(BOB, 'name()')).toBe('name() null bytes32');
    expect(find(CONTRACT, 'symbol')).toBe('symbol() null string');
    expect(find(BOB, 'all')).toBe('all() null uint8');
  });

  test('the number of arguments selects among overloads, and an ambiguous name is rejected with its candidates', () => {
    expect(find(CONTRACT, 'set', 1)).toBe('set(uint8) ');
    expect(find(CONTRACT, 'set(bool,uint8)', 7)).toBe('set(bool,uint8) ');
    expect(find(BOB, 'balanceOf', 2)).toBe('balanceOf(address,uint256) null uint256');
    expect(messageOf(() => find(CONTRACT, 'set', 2))).toContain(': it can be set(uint8,bool)() or set(bool,uint8)(). Pass');
    expect(messageOf(() => find(CONTRACT, 'set', 3))).toContain('can be set(uint8)() or set(uint8,bool)() or set(bool,uint8)().');
    expect(messageOf(() => find(BOB, 'two'))).toContain(': it can be two()(uint8) or two()(uint16).');
    expect(messageOf(() => find(BOB, 'set(uint8)'))).toContain(': no ABI has set(uint8).');
  });
});

test('the values of a list of arguments are counted once', () => {
  let reads = 0;
  const args = ['1', ['2', '3']];
  Object.defineProperty(args, 0, {
    enumerable: true,
    get() {
      reads += 1;
      return '1';
    },
  });
  expect([countArguments(args), countArguments(args), reads]).toEqual([5, 5, 1]);
});
