import { expect, test } from '@jest/globals';
import { startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { respondWith, type Script, type ScriptedNode, startScriptedNode } from '../../support/upstream/scripted-node.ts';

/** What the server states about a node that does not work, from its start: in the ready message, the log, `/readyz` and errors. */
const nodes: ScriptedNode[] = [];

const urlOf = async (script: Script) => nodes[nodes.push(await startScriptedNode(script)) - 1]!.url;

async function unusedUrl(): Promise<string> {
  const port = await findFreePort();
  return `http://127.0.0.1:${port}`;
}

const simNode = (chainId: string) => startSimNode({ chain: new SimChain({ seed: 1 }), chainId });
const HTML = respondWith(200, '<html></html>', { 'content-type': 'text/html; charset=utf-8' });

test.concurrent.each<[string, () => Promise<string>, string]>([
  ['refuses connections', unusedUrl, 'unreachable: connection refused; retrying'],
  ['has no address', async () => 'http://node.invalid:8545', 'unreachable: host name not found (DNS); retrying'],
  ['has no TLS', async () => (await urlOf(HTML)).replace('http:', 'https:'), 'unreachable: TLS failure; retrying'],
  ['responds with 404', () => urlOf(respondWith(404, '')), 'responded with HTTP status 404; retrying'],
  ['responds with HTML', () => urlOf(HTML), 'sent HTML in place of JSON; retrying'],
  ['redirects', () => urlOf(respondWith(302, '')), 'responded with a redirect (HTTP 302); retrying'],
  ['rejects the key', () => urlOf(respondWith(401, '')), 'does not accept the credentials of this server (HTTP 401); retrying'],
  ['has an endpoint of another chain', async () => (await simNode('0x7')).url, 'has an endpoint of chain 8 instead of chain 7'],
])('the server states the cause when its node %s', async (name, open, problem) => {
  const node = await open();
  const webSocket = problem.includes('chain') ? { RPC_WS_URL: (await simNode('0x8')).wsUrl } : {};
  const endpoint = webSocket.RPC_WS_URL ?? node;
  const start = name === 'refuses connections' ? startGraph : serveGraph;
  const { url, output, execute } = await start({ RPC_URL: withNodeKey(node), ...webSocket, LOG_LEVEL: 'info' });
  const message = `The node ${problem.replace('unreachable', 'could not be reached').replace('; retrying', '')}.`;
  expect(output()).toContain(' accepts requests, and is not ready\n');
  expect(output()).toContain(`\n  node        ${endpoint} ${problem}\n`);
  expect(output()).not.toContain('"stack"');
  for (const page of ['/', '/explore/', '/docs/', '/graphql']) expect(output()).toContain(`${url}${page}`);
  const warnings = output().match(/^\{"level":[456]0.*"reason".*$/gm)!;
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ endpoint, reason: message }]);
  const stated = expect.stringMatching(new RegExp(`^${message.replace(/[.()]/g, '\\$&')}(?: The node has failed |$)`));
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'unavailable', message: stated, endpoint });
  const { errors } = await execute('{ gasPrice }');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  if (!problem.includes('chain')) expect(metrics).not.toMatch(/upstream_requests_total\{.*"ok"/);
  expect(errors).toMatchObject([{ message: stated }]);
  expect(JSON.stringify(errors)).not.toContain(new URL(endpoint).host);
});

test('the ready message states why the database cannot be used', async () => {
  const { output } = await serveGraph({ RPC_URL: await unusedUrl(), DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  expect(output()).toContain('\n  webhooks    PostgreSQL, the database could not be reached: connection refused; retrying\n');
});
