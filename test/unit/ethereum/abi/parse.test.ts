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
    ['a function without a name', [{ type: 'function', inputs: [] }], 'entry [0] is not a valid function: invalid identifier'],
    [
      'a name that is no identifier',
      [{ name: '1f', inputs: [] }],
      'entry [0], 1f, is not a valid function: invalid identifier: "1f"',
    ],
    [
      'inputs that are no list',
      [{ type: 'event', name: 'E', inputs: {} }],
      'entry [0], E, is not a valid event: it is malformed',
    ],
    ['an unknown type', [{ type: 'error', name: 'X', inputs: [{ type: 'uint7' }] }], 'invalid numeric width: "uint7"'],
    ['an unknown type of a result', [{ name: 'f', outputs: [uint, { type: 'bytes33' }] }], '"bytes33"'],
    ['a parameter without a type', [{ name: 'f', inputs: [{ name: 'a' }] }], 'entry [0], f, is not a valid function'],
    ['a parameter that is null', [{ name: 'f', inputs: [uint, null] }], 'entry [0], f, is not a valid function'],
    [
      'an indexed parameter of a function',
      [{ name: 'f', inputs: [{ ...uint, indexed: true }] }],
      'entry [0], f, is not a valid function',
    ],
    ['a tuple without components', [{ name: 'f', inputs: [{ type: 'tuple' }] }], 'entry [0], f, is not a valid function'],
  ])('parseAbi rejects %s', (_case, json, problem) => {
    expect(() => parseAbi(json)).toThrow(problem);
  });
});

test.each(['Lib.Kind', 'function', 'Lib.Data storage'])(
  'a function with an input or an output of type %s is left out',
  (type) => {
    const value = { name: '', type };
    const error = { type: 'error', name: 'E', inputs: [] };
    for (const types of [
      { inputs: [value], outputs: [] },
      { inputs: [], outputs: [value] },
    ]) {
      const { fragments } = parseAbi([{ type: 'function', name: 'f', stateMutability: 'view', ...types }, error]);
      expect(fragments.map(({ name }) => name)).toEqual(['E']);
    }
  },
);
