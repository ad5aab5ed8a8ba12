import { readFileSync } from 'node:fs';
import type { InterfaceAbi } from 'ethers';
import { PACKAGE_ROOT } from '../package-root.ts';

/** A compiled contract, written by `contracts/compile.ts`. */
export interface ContractArtifact {
  readonly contractName: string;
  readonly abi: InterfaceAbi;
  /** Creation code, 0x-hex; the encoded constructor arguments follow it. */
  readonly bytecode: string;
}

/** Reads a committed artifact. */
export function readArtifact(contractName: string): ContractArtifact {
  return JSON.parse(readFileSync(new URL(`contracts/artifacts/${contractName}.json`, PACKAGE_ROOT), 'utf8'));
}
