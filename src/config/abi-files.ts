import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getAddress } from 'ethers/address';
import { InvalidAbi, parseAbi } from '../ethereum/abi/parse.ts';
import { type AbiRegistry, type ConfiguredAbi, createAbiRegistry } from '../ethereum/abi/registry.ts';
import { GraphError } from '../lib/errors.ts';
import { readErrorReason, readJsonFile } from '../lib/json-file.ts';

/**
 * Reads the ABIs of ABI_DIR synchronously: `0x<address>.json` applies to the contract with that address, any other `*.json` to all contracts.
 * Throws BAD_USER_INPUT with the file and the reason if one is invalid. Without a folder, only the standards are decoded. A file precedes
 * an ABI of `more` for the same address.
 */
export function readAbiFiles(folder: string | undefined, more: readonly ConfiguredAbi[] = []): AbiRegistry {
  if (folder === undefined) return createAbiRegistry(more);
  const seen = new Set<string>();
  const abis = listJsonFiles(folder).map((name) => {
    const abi = readAbiFile(folder, name);
    if (abi.address !== null && seen.has(abi.address)) throw abiFileError(folder, name, 'is the second file with this address');
    if (abi.address !== null) seen.add(abi.address);
    return abi;
  });
  return createAbiRegistry([...more, ...abis]);
}

const abiFileError = (folder: string, name: string, problem: string, cause?: unknown) =>
  new GraphError('BAD_USER_INPUT', `The ABI file "${join(folder, name)}" of ABI_DIR ${problem}.`, { cause });

function listJsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (cause) {
    const message = `The folder "${folder}" of ABI_DIR cannot be read: ${readErrorReason(cause)}. Pass a folder with ABI files.`;
    throw new GraphError('BAD_USER_INPUT', message, { cause });
  }
}

function readAbiFile(folder: string, name: string): ConfiguredAbi {
  const errorOf = (problem: string, cause?: unknown) => abiFileError(folder, name, problem, cause);
  try {
    return { address: addressIn(name), ...parseAbi(readJsonFile(join(folder, name), errorOf)) };
  } catch (error) {
    throw error instanceof InvalidAbi ? errorOf(error.message, error.cause) : error;
  }
}

/** The address that a file is named after; null for another name. */
function addressIn(name: string): string | null {
  if (!/^0x/i.test(name)) return null;
  const text = name.slice(0, -'.json'.length);
  try {
    // The checksum of mixed case finds typing errors.
    return getAddress(text).toLowerCase();
  } catch (cause) {
    throw new InvalidAbi('has a name that is no address, or has a wrong checksum: write the address in lower case', { cause });
  }
}
