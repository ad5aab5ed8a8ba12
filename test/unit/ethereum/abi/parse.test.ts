import { describe, expect, test } from '@jest/globals';
import { parseAbi } from '../../../../src/ethereum/abi/parse.ts';

const uint = { name: 'a', type: 'uint256' };
const namesOf = (json: unknown) => parseAbi(json).fragments.map((fragment) => fragment.format('sighash'));

describe('parseAbi', () => {
  test('parseAbi reads functions, events and errors of a list, and of an artifact with its contract name', () => {
    const abi = [
      { type: 'function', name: 'f', inputs: [uint], outputs: [], stateMutability: 'view' },
      { name: 'withoutType', inputs: [] },
      { type: 'event', name: 'E', inputs: [{ ...uint, indexed: true }] },
      { type: 'error', name: 'X', inputs: [uint] },
      { type: 'event', name: 'Anonymous', inputs: [], anonymous: true },
      { type: 'constructor', inputs: [uint] },
      { type: 'fallback' },
      { type: 'receive' },
    ];
    expect(namesOf(abi)).toEqual(['f(uint256)', 'withoutType()', 'E(uint256)', 'X(uint256)']);
    expect(parseAbi(abi).contractName).toBeNull();
    expect(parseAbi({ abi, contractName: ' Vault ' })).toMatchObject({
      contractName: 'Vault',
      fragments: parseAbi(abi).fragments,
    });
    expect(parseAbi({ abi: [], contractName: '' }).contractName).toBeNull();
  });

  test.each(['struct Lib.S storage', 'Lib.Kind', 'function'])('parseAbi skips an entry with a parameter of type %s', (type) => {
    const fields = [{ name: 'a', type }];
    const abi = [
      { name: 'f', inputs: fields },
      { name: 'g', inputs: [{ name: 's', type: 'tuple', components: fields }] },
    ];
    expect(parseAbi(abi).fragments).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['a text', 'abi', 'neither a list, nor an object with the list `abi`'],
    ['null', null, 'neither a list, nor an object with the list `abi`'],
    ['an artifact without an ABI', { contractName: 'Vault' }, 'neither a list, nor an object with the list `abi`'],
    ['an entry that is a text', [{ type: 'receive' }, 'function f()'], 'entry [1] is not an object'],
    ['an entry of an unknown type', [{ type: 'struct', name: 'S' }], 'entry [0] has no type of an ABI'],
    ['a function without a name', [{ type: 'function', inputs: [] }], 'entry [0] is not a valid function: its `name` is not'],
    ['a name that is no identifier', [{ name: '1f', inputs: [] }], 'entry [0], 1f, is not a valid function: its `name`'],
    [
      'inputs that are no list',
      [{ type: 'event', name: 'E', inputs: {} }],
      'entry [0], E, is not a valid event: `inputs` is not a list',
    ],
    [
      'an unknown parameter type',
      [{ type: 'error', name: 'X', inputs: [{ name: 'a', type: 'uint7' }] }],
      'entry [0], X, is not a valid error: `inputs[0]` (a) has the unknown type "uint7". Write a type of the ABI, such as uint256',
    ],
    [
      'an unknown type of a result',
      [{ name: 'f', outputs: [uint, { type: 'bytes33' }] }],
      '`outputs[1]` has the unknown type "bytes33"',
    ],
    [
      'a parameter without a type',
      [{ name: 'f', inputs: [{ name: 'a' }] }],
      '`inputs[0]` (a) has no type. Write a type of the ABI',
    ],
    ['a parameter that is null', [{ name: 'f', inputs: [uint, null] }], '`inputs[1]` is not an object with a `type`'],
    ['a name with a space', [{ name: 'f', inputs: [{ ...uint, name: 'a b' }] }], 'the name of `inputs[0]` is not an identifier'],
    [
      'an indexed parameter of a function',
      [{ name: 'f', inputs: [{ ...uint, indexed: true }] }],
      'its fields contradict each other',
    ],
    [
      'a tuple without components',
      [{ name: 'f', inputs: [{ name: 'a', type: 'tuple' }] }],
      '`inputs[0].components` is not a list',
    ],
    [
      'an unknown type inside a tuple',
      [{ name: 'f', inputs: [{ name: 'a', type: 'tuple[]', components: [uint, { name: 'b', type: 'int9' }] }] }],
      '`inputs[0].components[1]` (b) has the unknown type "int9"',
    ],
  ])('parseAbi rejects %s', (_case, json, problem) => {
    expect(() => parseAbi(json)).toThrow(problem);
  });
});
