import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { parseAbi } from '../../../../src/ethereum/abi/parse.ts';
import { createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';
import { ALICE, abiOf, BOB, CONTRACT, callInput, errorPayload, eventLog } from '../../../support/abi-fixtures.ts';

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

  test.each(['5', '0x0', '0xzz'])('data %j that is not bytes is UPSTREAM_BAD_RESPONSE', (data) => {
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

  test('describeError prefers the ABI of the target, and uses those for all contracts for others', () => {
    const payload = errorPayload('error InsufficientBalance(uint256, uint256)', 1, 2);
    const registry = createAbiRegistry([own, abiOf(null, 'error InsufficientBalance(uint256 a, uint256 b)')]);
    expect(registry.describeError(CONTRACT, payload)).toBe('InsufficientBalance(available: 1, required: 2)');
    expect(registry.describeError(BOB, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
    expect(registry.describeError(null, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
  });
});
