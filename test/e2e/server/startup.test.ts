import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Starting the built program, and its error messages when it cannot start. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
let devnet: Devnet;

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
});

afterAll(() => devnet?.stop());

/** Runs the program until it exits; its standard output is a file, or a pipe without a reader. */
async function run(args: readonly string[], settings: Record<string, string> = {}, stdout: number | 'pipe' = 'pipe') {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'error', DEVNET_LIFE: 'off', ...settings },
    stdio: ['ignore', stdout, 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, stderr };
}

test.each<[string, Record<string, string>]>([
  ['HOST', { HOST: 'host.invalid' }],
  ['HOST', { HOST: '192.0.2.1' }],
  ['TMPDIR', { TMPDIR: '/nowhere' }],
])('an unusable %s exits with status 1 and one line that names the setting: %j', async (name, settings) => {
  const { status, stderr } = await run([], settings);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^[^\\n]*\\b${name}\\b[^\\n]*\\n$`));
  expect(stderr).not.toMatch(/\.js:|\.ts:|\{/);
});

test('a PORT in use exits with status 1 and one line that names the port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = await run([], { PORT: String(port), RPC_URL: devnet.description.nodeService.http });
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Cannot listen on 127\\.0\\.0\\.1, port ${port} .*PORT.*\\n$`));
  other.close();
});

describe.each<[string, () => number | 'pipe', string]>([
  ['full', () => openSync('/dev/full', 'w'), 'ENOSPC'],
  ['closed', () => 'pipe', 'EPIPE'],
])('standard output is %s', (kind, stdout, code) => {
  test.each([[['schema']], [['--help']], [['--version']], [['devnet']], [['serve']]])(
    `%j exits with status 1 and one line when standard output is ${kind}`,
    async (args) => {
      const { status, stderr } = await run(args, {}, stdout());
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^Cannot write to standard output: [^:]*${code}.*\\n$`));
    },
  );
});

test('a node that never responds delays the start by two seconds', async () => {
  const held: Socket[] = [];
  const silent = createServer((socket) => void held.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const timed = async (settings: Record<string, string>) => {
    const from = performance.now();
    const graph = await startGraph(settings);
    return { graph, took: performance.now() - from };
  };
  const { nodeService } = devnet.description;
  const prompt = await timed({ RPC_URL: nodeService.http, RPC_WS_URL: nodeService.ws });
  await prompt.graph.stop();
  const late = await timed({ RPC_URL: `http://${at}`, RPC_WS_URL: `ws://${at}` });
  // The server waits two seconds; the rest is for a busy machine.
  expect(late.took - prompt.took).toBeLessThan(10_000);
  expect((await fetch(`${late.graph.url}/readyz`)).status).toBe(503);
  await late.graph.stop();
  for (const socket of held) socket.destroy();
  silent.close();
});

test('a server that starts before its node becomes ready when the node is available', async () => {
  const proxy = await startProxy(devnet.description.nodeService.http);
  const { port } = new URL(proxy.url);
  await proxy.stop();
  const graph = await startGraph({ RPC_URL: proxy.url });
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  const { errors } = await graph.execute('{ chainID }');
  expect(errors![0]!.extensions.code).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  const arrived = await startProxy(devnet.description.nodeService.http, '/', Number(port));
  await waitUntil(async () => (await fetch(`${graph.url}/readyz`)).status === 200, 'the graph is ready');
  await waitUntil(async () => !(await graph.execute('{ chainID }')).errors, 'the circuit breaker is closed');
  expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
  await graph.stop();
  await arrived.stop();
});

test('RPC_BATCH=1 reads 240 transactions, 100 accounts and all wizards without a Node warning', async () => {
  const { nodeService, wizardService, landmarks } = devnet.description;
  const graph = await startGraph({
    RPC_URL: nodeService.http,
    RPC_BATCH: '1',
    WIZARDS_URL: wizardService.url,
    WIZARDS_API_TOKEN: wizardService.token,
    WIZARDS_EMAIL: wizardService.email,
    MAX_COST: '100000',
  });
  const accounts = Array.from(
    { length: 100 },
    (_, i) => `a${i}: account(address: "0x${(i + 1).toString(16).padStart(40, '0')}") { balance }`,
  );
  const query = `{ block(number: ${landmarks.crowdedBlock}) { transactions { status from { balance transactionCount } } } ${accounts.join(' ')} }`;
  const { data, errors } = await graph.execute(query);
  expect(errors).toBeUndefined();
  expect(data.block.transactions).toHaveLength(240);
  const wizards = await graph.execute('{ wizards(first: 50) { nodes { id owner { balance } duels { nodes { id } } } } }');
  expect(wizards.errors).toBeUndefined();
  await graph.stop();
  expect(graph.output()).not.toContain('Warning');
});
