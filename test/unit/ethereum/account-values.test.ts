import { describe, expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers/abi';
import { keccak256 } from 'ethers/crypto';
import { readAccountProof } from '../../../src/ethereum/account-proof.ts';
import { mappingSlot } from '../../../src/ethereum/encoding/keccak.ts';
import { chainIdOf, gasPriceOf } from '../../../src/ethereum/transaction-values.ts';
import { addressOf, hashOf } from '../../support/upstream/rpc-fixtures.ts';

const solidityHash = (types: readonly string[], values: readonly unknown[]): string =>
  keccak256(AbiCoder.defaultAbiCoder().encode(types, values));

describe('mappingSlot', () => {
  test('the slot of an address in a mapping is that of Solidity', () => {
    expect(mappingSlot('0x3', [addressOf(0xabc)])).toBe(solidityHash(['address', 'uint256'], [addressOf(0xabc), 3]));
  });

  test('the slot in a nested mapping takes the outer key first', () => {
    const outer = solidityHash(['address', 'uint256'], [addressOf(1), 1]);
    expect(mappingSlot('0x1', [addressOf(1), '0x02'])).toBe(solidityHash(['uint256', 'bytes32'], [2, outer]));
  });

  test('keys of other lengths are padded on the left, and an empty key is zero', () => {
    expect(mappingSlot('0x0', ['0x'])).toBe(mappingSlot('0x0', [hashOf(0)]));
    expect(mappingSlot(hashOf(5), ['0x0a'])).toBe(mappingSlot('0x5', [hashOf(10)]));
  });

  test.each([
    ['a key of 33 bytes', [hashOf(1), `${hashOf(1)}00`], 'A key in `keys` has 33 bytes. Pass keys of at most 32 bytes.'],
    ['no keys', [], '`keys` has 0 keys. Pass 1 to 8, one for each level.'],
    ['nine keys', Array(9).fill('0x01'), '`keys` has 9 keys. Pass 1 to 8, one for each level.'],
  ])('%s is BAD_USER_INPUT', (_case, keys, message) => {
    expect(() => mappingSlot('0x0', keys)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });
});

describe('readAccountProof', () => {
  const proof = (changes: object = {}) => ({
    ...{ address: addressOf(0xa), balance: '0x05', codeHash: hashOf(1), nonce: '0x1', storageHash: hashOf(2) },
    accountProof: ['0xCAFE'],
    storageProof: [
      { key: hashOf(0), value: '0x0', proof: [] },
      { key: '0x1', value: hashOf(7), proof: ['0xF8'] },
    ],
    ...changes,
  });
  const KEYS = [hashOf(0), hashOf(1)];

  test('keys of 32 bytes and minimal keys are read alike, in the order of the request', () => {
    expect(readAccountProof(proof(), addressOf(0xa), KEYS)).toEqual({
      ...{ address: addressOf(0xa), balance: '0x5', codeHash: hashOf(1), nonce: '0x1', storageHash: hashOf(2) },
      accountProof: ['0xcafe'],
      storageProof: [
        { key: '0x0', value: '0x0', proof: [] },
        { key: '0x1', value: '0x7', proof: ['0xf8'] },
      ],
    });
  });

  test.each([
    ['the proof of another account', { address: addressOf(0xb) }],
    ['too few storage keys', { storageProof: [] }],
    ['storage keys in another order', { storageProof: proof().storageProof.toReversed() }],
    ['a storage key that is no number', { storageProof: [{ key: 'x', value: '0x0', proof: [] }, proof().storageProof[1]] }],
    ['no list of storage keys', { storageProof: null }],
    ['no account proof', { accountProof: null }],
    ['a node that is no bytes', { accountProof: ['0x1'] }],
    ['no code hash', { codeHash: undefined }],
  ])('%s is rejected', (_case, changes) => {
    expect(() => readAccountProof(proof(changes), addressOf(0xa), KEYS)).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
    );
  });
});

describe('chainIdOf', () => {
  test.each([
    ['its own chain id', { chainId: '0x5', v: '0x26', type: '0x0' }, '0x5'],
    ['v, of a legacy transaction without a chain id', { v: '0x26', type: '0x0' }, '0x1'],
    ['v of a transaction without a type', { v: '0xf4f6' }, '0x7a69'],
    ['v in place of a chain id of zero', { chainId: '0x0', v: '0x25' }, '0x1'],
  ])('the chain id of a transaction is %s', (_case, transaction, chainId) => {
    expect(chainIdOf(transaction)).toBe(chainId);
  });

  test.each([{ v: '0x1b' }, { v: '0x1c', type: '0x0' }, { v: '0x1', type: '0x2' }, { type: '0x7e' }])(
    'the chain id of %j is null',
    (transaction) => {
      expect(chainIdOf(transaction)).toBeNull();
    },
  );
});

test('a transaction without any price has the price zero, one that only lacks the paid price has none', () => {
  expect(gasPriceOf({ gasPrice: '0x7', maxFeePerGas: '0x9' })).toBe('0x7');
  expect(gasPriceOf({ type: '0x7e' })).toBe('0x0');
  expect(gasPriceOf({ maxFeePerGas: '0x9' })).toBeUndefined();
});
