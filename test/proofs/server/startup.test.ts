import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Starting the program, and its error messages when it cannot start. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
let node: SimNode;
/** Settings for a start without the embedded chain. */
let overNode: Record<string, string>;

beforeAll(async () => {
  node = await startSimNode({ chain: new SimChain({ seed: 1 }) });
  overNode = { RPC_URL: node.url, RPC_WS_URL: node.wsUrl };
});

/** Runs the program until it exits; its standard output is a file, or a pipe without a reader. */
async function run(args: readonly string[], settings: Record<string, string> = {}, stdout: number | 'pipe' = 'pipe') {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'error', DEVNET_LIFE: 'off', DEVNET_CHAINS: '1', ...settings },
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

test('no bundled package falls back to JavaScript for a module of Node', () => {
  const folder = new URL('.', `file://${MAIN}`);
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const sources = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  // Apollo Server tests for `module.require`, which a bundle does not have, and takes its own SHA-256 where it is missing.
  expect(sources.join('\n')).not.toMatch(/\bmodule\.require\b/);
  expect(sources.some((source) => source.includes('getBuiltinModule("crypto")'))).toBe(true);
});

test('an unusable TMPDIR exits with status 1 and one line that names the setting', async () => {
  const { status, stderr } = await run([], { TMPDIR: '/nowhere' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[^\n]*\bTMPDIR\b[^\n]*\n$/);
  expect(stderr).not.toMatch(/\.js:|\.ts:|\{/);
});

test('a PORT in use exits with status 1 and one line that names the port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = await run([], { PORT: String(port), ...overNode });
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Cannot listen on 127\\.0\\.0\\.1, port ${port} .*PORT.*\\n$`));
  other.close();
});

// These starts reject like the start on a PORT in use; the test above checks the line and the exit status.
test.each(['host.invalid', '192.0.2.1'])(
  'a start with the unusable HOST %s fails with one line that names the setting',
  async (host) => {
    const failure = serveGraph({ HOST: host, ...overNode });
    await expect(failure).rejects.toMatchObject({
      name: 'GraphError',
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(new RegExp(`^Cannot listen on ${host}, port 0 .*\\bHOST\\b.*$`)),
    });
  },
);

// All commands write with one function, so most commands are tested with one kind of failing output only.
test.each<['full' | 'closed', string]>([
  ['full', 'schema'],
  ['full', '--help'],
  ['full', 'serve'],
  ['closed', 'schema'],
  ['closed', '--version'],
  ['closed', 'devnet'],
])('a %s standard output makes %s exit with status 1 and one line', async (kind, command) => {
  const full = kind === 'full' ? openSync('/dev/full', 'w') : undefined;
  const { status, stderr } = await run([command], command === 'serve' ? overNode : {}, full ?? 'pipe');
  if (full !== undefined) closeSync(full);
  expect(status).toBe(1);
  const code = kind === 'full' ? 'ENOSPC' : 'EPIPE';
  expect(stderr).toMatch(new RegExp(`^Cannot write to standard output: [^:]*${code}.*\\n$`));
});

describe('a node that is not available at the start', () => {
  const held: Socket[] = [];
  const silent = createServer((socket) => void held.push(socket.on('error', () => {})));
  let overSilent: RunningGraph;
  let overAbsent: RunningGraph;
  let absentPort: number;

  beforeAll(async () => {
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    absentPort = await findFreePort();
    // A start that waited for a response would hang, not only be slow.
    const patient = { RPC_TIMEOUT_MS: '3600000', OPERATION_TIMEOUT_MS: '300' };
    [overSilent, overAbsent] = await Promise.all([
      serveGraph({ RPC_URL: `http://${at}`, RPC_WS_URL: `ws://${at}`, ...patient }),
      serveGraph({ RPC_URL: withNodeKey(`http://127.0.0.1:${absentPort}`) }),
    ]);
  });

  afterAll(async () => {
    await overSilent?.stop();
    for (const socket of held) socket.destroy();
    silent.close();
  });

  test('a server starts without a response of its node, and is not ready', async () => {
    expect((await fetch(`${overSilent.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${overSilent.url}/readyz`)).status).toBe(503);
  });

  test('an operation over OPERATION_TIMEOUT_MS returns TIMEOUT with 504', async () => {
    const { status, data, errors } = await overSilent.execute('{ chainID }');
    expect({ status, data }).toEqual({ status: 504, data: null });
    expect(errors![0]!.extensions).toMatchObject({ code: 'TIMEOUT', limit: 300, retryable: true });
  });

  test('a server that starts before its node becomes ready when the node is available', async () => {
    expect((await fetch(`${overAbsent.url}/readyz`)).status).toBe(503);
    const { errors } = await overAbsent.execute('{ chainID }');
    expect(errors![0]!.extensions.code).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
    const arrived = await startProxy(node.url, '/', absentPort);
    await waitUntil(async () => (await fetch(`${overAbsent.url}/readyz`)).status === 200, 'the graph is ready');
    await waitUntil(async () => !(await overAbsent.execute('{ chainID }')).errors, 'the circuit breaker is closed');
    expect((await overAbsent.execute('{ chainID }')).data).toEqual({ chainID: '0x7' });
    await overAbsent.stop();
    await arrived.stop();
  });
});
