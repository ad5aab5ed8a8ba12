import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { executeOverHttp } from '../../support/graph/running-graph.ts';
import { reservePort } from '../../support/reserved-port.ts';

/** The commands and the program of docs/recipes/router.md. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const text = readFileSync(join(ROOT, 'docs/recipes/router.md'), 'utf8');
const [startSubgraphs, writeSchemas] = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) =>
  commands!.replaceAll('node dist/main.js', `"${process.execPath}" "${join(ROOT, 'dist/main.js')}"`),
);
const compose = /^```js\n(.*?)^```/ms.exec(text)![1]!;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grimoire-router-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the schemas of the recipe compose to a supergraph of its two subgraphs', () => {
  execFileSync('bash', ['-e', '-c', writeSchemas!], { cwd: folder });
  writeFileSync(join(folder, 'compose.mjs'), compose);
  const output = execFileSync(process.execPath, ['compose.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(output).toMatch(/^supergraph\.graphql has \d+ characters\n$/);
  const supergraph = readFileSync(join(folder, 'supergraph.graphql'), 'utf8');
  for (const name of ['chain', 'wizards']) expect(supergraph).toContain(`@join__graph(name: "${name}"`);
});

test('the commands of the recipe start the subgraphs whose schemas it writes', async () => {
  const ports = await Promise.all([reservePort(), reservePort()]);
  await Promise.all(ports.map(({ release }) => release()));
  const commands = startSubgraphs!
    .replace('http://127.0.0.1:8545', sharedDevnet().nodeService.origin)
    .replace('4001', String(ports[0]!.port))
    .replace('4002', String(ports[1]!.port));
  // A process group: the subgraphs run until they are stopped.
  const shell = spawn('bash', ['-c', `${commands}\nwait -n`], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(shell, 'exit');
  try {
    let output = '';
    const ready = new Promise<boolean>((resolve) => {
      shell.stdout.on('data', (chunk: Buffer) => {
        output += chunk;
        if (output.match(/ is ready/g)?.length === 2) resolve(true);
      });
    });
    // The shell exits as soon as one subgraph does.
    expect({ isReady: await Promise.race([ready, exited.then(() => false)]), output }).toMatchObject({ isReady: true });
    for (const [i, name] of ['chain', 'wizards'].entries()) {
      const { data } = await executeOverHttp(`http://127.0.0.1:${ports[i]!.port}`, '{ _service { sdl } }');
      expect(data._service.sdl).toBe(readFileSync(join(folder, `${name}.graphql`), 'utf8'));
    }
  } finally {
    // A shell starts commands in the background without SIGINT.
    process.kill(-shell.pid!, 'SIGTERM');
    await exited;
  }
});
