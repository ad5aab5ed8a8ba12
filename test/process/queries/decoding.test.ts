import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readArtifact } from '../../../devnet/src/world/artifacts.ts';
import { type DevnetSetup, sharedDevnet, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** ABI_DIR of the built program. */
let setup: DevnetSetup;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'abis-'));
  const { contracts, tournament } = sharedDevnet();
  const artifacts = [...contracts.map(({ address }) => [address, 'Token'] as const), [tournament.address, 'Tournament'] as const];
  for (const [address, name] of artifacts) writeFileSync(join(folder, `${address}.json`), JSON.stringify(readArtifact(name)));
  setup = await startSharedDevnetSetup({ ABI_DIR: folder });
});

afterAll(async () => {
  await setup?.stop();
  rmSync(folder, { recursive: true });
});

test('label is the contract name of the file in ABI_DIR', async () => {
  const { tournament, accounts } = setup.devnet.description;
  const { data } = await setup.graph.execute(
    `{ contract: account(address: "${tournament.address}") { label } person: account(address: "${accounts[0]!.address}") { label } }`,
  );
  expect(data).toEqual({ contract: { label: 'Tournament' }, person: { label: null } });
});
