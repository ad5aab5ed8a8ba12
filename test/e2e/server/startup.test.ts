import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/graph/toy-server.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';

/** How the program starts, and what it says when it cannot. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
let devnet: Devnet;

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
});

afterAll(() => devnet?.stop());

/** Runs the program to its end with this standard output, which is a file or a pipe that nobody reads. */
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
])('an unusable %s ends the start with one line that names it: %j', async (name, settings) => {
  const { status, stderr } = await run([], settings);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^[^\\n]*\\b${name}\\b[^\\n]*\\n$`));
  expect(stderr).not.toMatch(/\.js:|\.ts:|\{/);
});

test('a PORT in use ends the start with one line that names it', async () => {
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
])('a standard output that is %s', (_kind, stdout, code) => {
  test.each([[['schema']], [['--help']], [['--version']], [['devnet']], [['serve']]])(
    'ends %j with status 1 and one line',
    async (args) => {
      const { status, stderr } = await run(args, {}, stdout());
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^Cannot write to standard output: [^:]*${code}.*\\n$`));
    },
  );
});

test('a node that accepts connections and answers nothing delays the start by two seconds at most', async () => {
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
  expect(late.took - prompt.took).toBeLessThan(3_000);
  expect((await fetch(`${late.graph.url}/readyz`)).status).toBe(503);
  await late.graph.stop();
  for (const socket of held) socket.destroy();
  silent.close();
});

test('a program that has started without its node is ready when the node arrives', async () => {
  const proxy = await startProxy(devnet.description.nodeService.http);
  const { port } = new URL(proxy.url);
  await proxy.stop();
  const graph = await startGraph({ RPC_URL: proxy.url });
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  const arrived = await startProxy(devnet.description.nodeService.http, '/', Number(port));
  await waitUntil(async () => (await fetch(`${graph.url}/readyz`)).status === 200, 'the graph is ready');
  expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
  await graph.stop();
  await arrived.stop();
});

test('RPC_BATCH=1 reads a block of 240 transactions, 100 accounts and all wizards without a warning of Node', async () => {
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
