import { afterAll, expect, test } from '@jest/globals';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { reservePort } from '../../support/reserved-port.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { respondWith, type Script, startScriptedNode } from '../../support/upstream/scripted-node.ts';

/** What the server states about a node that does not work, from its start: in the ready message, the log, `/readyz` and errors. */
const stops: (() => unknown)[] = [];

afterAll(async () => {
  for (const stop of stops) await stop();
});

async function urlOf(script: Script): Promise<string> {
  const node = await startScriptedNode(script);
  stops.push(node.stop);
  return node.url;
}

async function unusedUrl(): Promise<string> {
  const { port, release } = await reservePort();
  await release();
  return `http://127.0.0.1:${port}`;
}

/** Asserts that the ready message, one line of the log, `/readyz` and a GraphQL error state the cause. */
async function expectCause(
  { url, output, execute }: RunningGraph,
  node: string,
  problem: string,
  message: string,
): Promise<void> {
  expect(output()).toContain(` accepts requests, and is not ready\n`);
  expect(output()).toContain(`\n  node        ${node} ${problem}\n`);
  expect(output()).not.toMatch(/"stack"|did not respond in time|arrived in time/);
  const warnings = output().match(/^\{"level":[456]0.*"reason".*$/gm)!;
  expect(warnings.map((line) => JSON.parse(line).reason)).toEqual([message]);
  const stated = expect.stringMatching(new RegExp(`^${message.replace(/[.()]/g, '\\$&')}(?: The node has failed |$)`));
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'unavailable', message: stated });
  expect((await execute('{ gasPrice }')).errors).toMatchObject([{ message: stated }]);
}

const HTML = respondWith(200, '<html></html>', { 'content-type': 'text/html; charset=utf-8' });

test.concurrent.each<[string, () => Promise<string>, string, string]>([
  ['refuses connections', unusedUrl, 'unreachable: connection refused', 'The node could not be reached: connection refused.'],
  [
    'has no address',
    async () => 'http://node.invalid:8545',
    'unreachable: host name not found (DNS)',
    'The node could not be reached: host name not found (DNS).',
  ],
  [
    'has no TLS',
    async () => (await urlOf(HTML)).replace('http:', 'https:'),
    'unreachable: TLS failure',
    'The node could not be reached: TLS failure.',
  ],
  [
    'responds with 404',
    () => urlOf(respondWith(404, '')),
    'responded with HTTP status 404',
    'The node responded with HTTP status 404.',
  ],
  ['responds with HTML', () => urlOf(HTML), 'sent HTML in place of JSON', 'The node sent HTML in place of JSON.'],
])('the server states the cause when its node %s', async (_case, open, problem, message) => {
  const node = await open();
  await expectCause(await serveGraph({ RPC_URL: withNodeKey(node) }), node, `${problem}; retrying`, message);
});

test('the server states that the WebSocket of its node serves another chain', async () => {
  const [node, other] = await Promise.all(
    ['0x7', '0x8'].map((chainId) => startSimNode({ chain: new SimChain({ seed: 1 }), chainId })),
  );
  stops.push(node!.stop, other!.stop);
  const graph = await serveGraph({ RPC_URL: node!.url, RPC_WS_URL: other!.wsUrl });
  const message = 'The node has an endpoint of chain 8 instead of chain 7.';
  await expectCause(graph, node!.url, 'has an endpoint of chain 8 instead of chain 7', message);
});

test('the built program starts over a node that refuses connections, and names it in its ready message', async () => {
  const node = await unusedUrl();
  const graph = await startGraph({ RPC_URL: withNodeKey(node), LOG_LEVEL: 'info' });
  const message = 'The node could not be reached: connection refused.';
  await expectCause(graph, node, 'unreachable: connection refused; retrying', message);
  for (const page of ['/', '/explore/', '/docs/', '/graphql']) expect(graph.output()).toContain(`${graph.url}${page}`);
});
