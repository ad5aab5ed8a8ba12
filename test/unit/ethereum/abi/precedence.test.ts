import { describe, expect, test } from '@jest/globals';
import { type ConfiguredAbi, createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';
import { ALICE, abiOf, BOB, CONTRACT, callInput, eventLog, lineOf } from '../../../support/abi-fixtures.ts';

describe('precedence', () => {
  const transfer = callInput('function transfer(address,uint256)', BOB, 7);
  const own = abiOf(CONTRACT, 'function transfer(address a, uint256 b)');
  const global = abiOf(null, 'function transfer(address c, uint256 d)');
  const names = (abis: readonly ConfiguredAbi[], to = CONTRACT) =>
    createAbiRegistry(abis)
      .decodeCall(to, transfer)
      ?.arguments.map(({ name }) => name);

  test('the ABI of the address precedes those for all contracts, and these the standards', () => {
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
