import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../cleanups.ts';

/** Writes a file for CHAINS and returns its path. */
export function writeChainsFile(chains: readonly { readonly id: number; readonly [key: string]: unknown }[]): string {
  const file = join(createTemporaryFolder(), 'chains.json');
  writeFileSync(file, JSON.stringify(chains.map((chain) => ({ name: `Chain ${chain.id}`, ...chain }))));
  return file;
}
