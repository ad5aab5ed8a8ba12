import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { readAbiFiles } from '../../../src/config/abi-files.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = createTemporaryFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

/** The message of the BAD_USER_INPUT error. */
function errorMessageOf(folder: string): string {
  try {
    readAbiFiles(folder);
  } catch (error) {
    expect(error).toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
    return (error as Error).message;
  }
  throw new Error('the folder was accepted');
}

const CONTRACT = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const abi = [{ type: 'function', name: 'ping', inputs: [{ name: 'count', type: 'uint256' }] }];
const input = new Interface(abi).encodeFunctionData('ping', [3]);

describe('readAbiFiles', () => {
  test('readAbiFiles applies a file to the address of its name, and others to all contracts', () => {
    const own = readAbiFiles(folderWith({ [`${CONTRACT}.json`]: { abi, contractName: 'Pinger' }, 'notes.txt': 'no ABI' }));
    expect(own.decodeCall(CONTRACT, input)?.signature).toBe('ping(uint256)');
    expect(own.decodeCall(`0x${'1'.repeat(40)}`, input)).toBeNull();
    expect(own.contractName(CONTRACT)).toBe('Pinger');
    expect(own.contractName(`0x${'1'.repeat(40)}`)).toBeNull();
    const global = readAbiFiles(folderWith({ 'Pinger.json': abi }));
    expect(global.decodeCall(CONTRACT, input)?.signature).toBe('ping(uint256)');
  });

  test('readAbiFiles accepts a name with a correct checksum', () => {
    expect(readAbiFiles(folderWith({ [`${CHECKSUMMED}.json`]: { abi, contractName: 'Pinger' } })).contractName(CONTRACT)).toBe(
      'Pinger',
    );
  });

  test('readAbiFiles prefers a file to an ABI of the embedded network for the same address', () => {
    const embedded = [{ address: CONTRACT, contractName: 'Embedded', fragments: [] }] as const;
    const own = folderWith({ [`${CONTRACT}.json`]: { abi, contractName: 'Pinger' } });
    expect([undefined, own].map((folder) => readAbiFiles(folder, embedded).contractName(CONTRACT))).toEqual([
      'Embedded',
      'Pinger',
    ]);
  });

  test('readAbiFiles without a folder decodes the standards', () => {
    const transfer = new Interface(['function transfer(address,uint256)']).encodeFunctionData('transfer', [CONTRACT, 1]);
    expect(readAbiFiles(undefined).decodeCall(CONTRACT, transfer)?.standard).toBe('ERC-20');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['that is not JSON', { 'a.json': 'function f()' }, 'a.json" of ABI_DIR is not JSON.'],
    ['that is no ABI', { 'a.json': {} }, 'a.json" of ABI_DIR is not an ABI: neither a list'],
    ['with an invalid entry', { 'a.json': [{ type: 'event' }] }, 'a.json" of ABI_DIR is invalid: entry [0]'],
    ['with a short address', { '0x12.json': abi }, '0x12.json" of ABI_DIR has a name that is no address'],
    [
      'with a wrong checksum',
      { [`${CHECKSUMMED.replace('aA', 'AA')}.json`]: abi },
      'has a name that is no address, or has a wrong checksum',
    ],
    [
      'of an address that another file has',
      { [`${CONTRACT}.json`]: abi, [`${CHECKSUMMED}.json`]: abi },
      'is the second file with this address',
    ],
  ])('readAbiFiles rejects a file %s', (_case, files, message) => {
    expect(errorMessageOf(folderWith(files))).toContain(message);
  });

  test('readAbiFiles rejects a missing folder and a folder instead of a file', () => {
    expect(errorMessageOf(join(createTemporaryFolder(), 'missing'))).toMatch(
      /^The folder ".*missing" of ABI_DIR cannot be read: there is no such file/,
    );
    const nested = folderWith({});
    mkdirSync(join(nested, 'a.json'));
    expect(errorMessageOf(nested)).toContain('cannot be read: it is a folder');
  });
});
