import { expect, test } from '@jest/globals';
import { accountLoader } from '../../../../../src/domains/chain/account/load.ts';
import type { Snapshot } from '../../../../../src/snapshot/index.ts';
import type { StateReader } from '../../../../../src/snapshot/state-reader.ts';

/** Answers each read with its method and address, or with an error for `eth_getCode`. */
function countingReader() {
  const reads: string[] = [];
  const reader = {
    readMany(methods, { address }, settle) {
      reads.push(`${address} ${methods.map(({ name }) => name)}`);
      methods.forEach(({ name }, i) => {
        queueMicrotask(() =>
          settle(i, name === 'eth_getCode' ? { error: new Error('no code') } : { value: `${name} ${address}` as never }),
        );
      });
    },
    read: async (method, { address }, ...extraArgs) => {
      reads.push(`${address} ${method.name} ${extraArgs}`);
      return '0x2a' as never;
    },
  } as StateReader;
  return { reads, loaders: accountLoader({ stateReader: reader } as Snapshot) };
}

const at = 'latest';

test('an account loader reads the selected fields of an account once per operation', async () => {
  const { reads, loaders } = countingReader();
  const [account, again, other] = await Promise.all([
    loaders.withState({ address: '0xa', at }, ['balance', 'code']),
    loaders.withState({ address: '0xa', at }, ['balance', 'code']),
    loaders.withState({ address: '0xb', at }, ['balance']),
  ]);
  expect(account).toMatchObject({
    address: '0xa',
    state: { balance: { value: 'eth_getBalance 0xa' }, code: { error: { message: 'no code' } }, transactionCount: undefined },
  });
  expect(again).toBe(account);
  expect(other).toMatchObject({ address: '0xb', state: { balance: { value: 'eth_getBalance 0xb' } } });
  expect(reads).toEqual(['0xa eth_getBalance,eth_getCode', '0xb eth_getBalance']);
});

test('an account loader reads an account again at another block and for other fields', async () => {
  const { reads, loaders } = countingReader();
  await Promise.all([
    loaders.withState({ address: '0xa', at }, ['balance']),
    loaders.withState({ address: '0xa', at: '0x1' }, ['balance']),
    loaders.withState({ address: '0xa', at }, ['transactionCount']),
  ]);
  expect(reads).toEqual(['0xa eth_getBalance', '0xa eth_getBalance', '0xa eth_getTransactionCount']);
});

test('an account loader rejects a single state field with its own error', async () => {
  const { loaders } = countingReader();
  expect(await loaders.stateField({ address: '0xa', at }, 'balance')).toBe('eth_getBalance 0xa');
  await expect(loaders.stateField({ address: '0xa', at }, 'code')).rejects.toThrow('no code');
});

test('an account loader reads a storage slot once per operation', async () => {
  const { reads, loaders } = countingReader();
  const account = { address: '0xa', at };
  expect(await Promise.all([loaders.storage(account, '0x1'), loaders.storage(account, '0x1')])).toEqual(['0x2a', '0x2a']);
  expect(reads).toEqual(['0xa eth_getStorageAt 0x1']);
});
