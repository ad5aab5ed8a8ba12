import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { rawRequest } from '../../support/clients/raw-request.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';

/** The server without settings, on the embedded chain and its node service. */
let graph: RunningGraph;
let devnet: DevnetDescription;

beforeAll(async () => {
  graph = await startGraph();
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
});

const control = async (request?: unknown): Promise<any> => {
  const init = request === undefined ? {} : { method: 'POST', body: JSON.stringify(request) };
  const response = await fetch(devnet.nodeService.control, init);
  expect(response.status).toBe(200);
  return response.json();
};

test('the node service has a logo for each token, and metadata that the bare token lacks', async () => {
  for (const { kind, address, name, symbol, decimals } of devnet.contracts) {
    const logo = expect.stringMatching(/^data:image\/svg/);
    const known = { name, ...(kind === 'erc20-bare' ? { symbol: 'NMLS', decimals: 18 } : { symbol, decimals }), logo };
    expect(await rpc(devnet.nodeService.http, 'svc_getTokenMetadata', [address])).toEqual(known);
  }
});

test('each service of the embedded chain rejects a Host that is not a loopback name', async () => {
  const { nodeService, wizardService } = devnet;
  const urls = [
    `${graph.url}/graphql`,
    `${graph.url}/devnet.json`,
    nodeService.http,
    nodeService.control,
    `${nodeService.origin}/devnet.json`,
    `${wizardService.url}/wizards`,
    wizardService.control,
  ];
  for (const url of urls) {
    const response = await rawRequest(url, { headers: { host: 'evil.example:80' } });
    expect([url, response.status]).toEqual([url, 421]);
    expect(response.body).toContain('ALLOWED_HOSTS');
    expect((await rawRequest(url, { headers: { host: 'localhost:80' } })).status).not.toBe(421);
  }
  for (const url of [nodeService.ws, `${graph.url.replace('http', 'ws')}/graphql`]) {
    const [error] = await once(new WebSocket(url, { headers: { host: 'evil.example' } }), 'error');
    expect(error.message).toContain('421');
  }
});

test('ALLOWED_HOSTS extends the loopback names of the embedded chain, and no host is rejected with RPC_URL', async () => {
  const [embedded, open] = await Promise.all([
    serveGraph({ DEVNET_LIFE: 'off', ALLOWED_HOSTS: 'graph.lan' }),
    serveGraph({ RPC_URL: devnet.nodeService.http }),
  ]);
  const status = async ({ url }: RunningGraph, host: string) =>
    (await rawRequest(`${url}/healthz`, { headers: { host } })).status;
  expect([await status(embedded, 'graph.lan:4000'), await status(embedded, 'other.lan')]).toEqual([200, 421]);
  expect(await status(open, 'other.lan')).toBe(200);
  const inner = (await (await fetch(`${embedded.url}/devnet.json`)).json()) as DevnetDescription;
  expect((await rawRequest(inner.nodeService.control, { headers: { host: 'graph.lan' } })).status).toBe(200);
  const origin = 'http://localhost:5173';
  const allowed = async ({ url }: RunningGraph) =>
    (await rawRequest(`${url}/healthz`, { headers: { origin } })).headers['access-control-allow-origin'];
  expect([await allowed(embedded), await allowed(open)]).toEqual([origin, undefined]);
  await Promise.all([embedded.stop(), open.stop()]);
});

test('the graph holds one connection and one subscription to the node service, which counts its calls', async () => {
  let before = await control();
  // The service may see the disconnect of an earlier client late.
  while (before.sockets !== 1) before = await control();
  expect(before).toMatchObject({ sockets: 1, subscriptions: 1 });
  const result = await graph.execute(`{ account(address: "${devnet.accounts[1]!.address}") { balance } }`);
  expect(result.errors).toBeUndefined();
  const after = await control();
  expect(after.usage.devnet.units).toBeGreaterThan(before.usage.devnet.units);
});

test('the shell commands of docs/operations.md query both services and subscribe to the node', async () => {
  const root = new URL('../../../', import.meta.url);
  const page = readFileSync(new URL('docs/operations.md', root), 'utf8');
  const [block] = [...page.matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, lines]) => lines!)
    .filter((lines) => lines.includes('devnet.json'));
  const lines = block!.replaceAll('http://127.0.0.1:4000', graph.url);
  // A process group: the last command never ends.
  const shell = spawn('bash', ['-c', lines], { cwd: fileURLToPath(root), detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const EVENT = /"method":"eth_subscription".*"parentHash":/;
  let output = '';
  try {
    for await (const chunk of shell.stdout) {
      output += chunk;
      if (EVENT.test(output)) break;
    }
  } finally {
    process.kill(-shell.pid!, 'SIGKILL');
  }
  expect(output).toMatch(/"result":\{"address":"0x.*"tokenBalance":"0x/);
  expect(output).toMatch(/"duels":\[\{"id":"0x/);
  expect(output).toMatch(EVENT);
});
