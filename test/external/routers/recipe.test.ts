import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { findFreePort } from '../../support/reserved-port.ts';

/** The commands of docs/recipes/router.md as they are written, but for the ports, the network and the installation. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const text = readFileSync(join(ROOT, 'docs/recipes/router.md'), 'utf8').replace(/^npm install .*\n/m, '');
const [, startSubgraphs, compose, startRouter, query] = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(
  ([, commands]) => commands!,
);
const WAIT_FOR = 'curl -sS --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1';

test('the commands of the router recipe start a router whose query reads both subgraphs', async () => {
  const folder = createTemporaryFolder();
  for (const name of ['clone', 'router']) mkdirSync(join(folder, name));
  for (const name of ['dist', 'examples', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, 'clone', name));
  symlinkSync(join(ROOT, 'test/external/routers/packages/node_modules'), join(folder, 'router/node_modules'));
  let script = `set -em
trap 'for group in $(jobs -p); do kill -- -$group; done; wait' EXIT
{ ${startSubgraphs} ${WAIT_FOR}:4001/readyz; ${WAIT_FOR}:4002/readyz; } >&2
${compose}
(${startRouter}) >&2 &
${WAIT_FOR}:4003/readiness >&2
${query}`.replace('http://127.0.0.1:8545', sharedDevnet().nodeService.origin);
  for (const from of ['4001', '4002', '4003']) {
    const port = await findFreePort();
    script = script.replaceAll(from, String(port));
  }
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: join(folder, 'clone'), encoding: 'utf8' });
  const owned = { owner: { balance: expect.stringMatching(/^0x/) } };
  expect({ stderr, ...JSON.parse(stdout || '{}') }).toMatchObject({ data: { wizards: { nodes: [owned, owned] } } });
});
