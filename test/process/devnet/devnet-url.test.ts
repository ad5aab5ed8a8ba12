import { createServer, type RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type DevnetDescription, startDevnet } from '../../../devnet/src/index.ts';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { dataOf } from '../../support/graph/results.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { log } from '../../support/silent-log.ts';
import { startTestServer } from '../../support/test-server.ts';

/** Servers over the embedded network of another process, which DEVNET_URL names. */
const startHttpServer = async (respond: RequestListener): Promise<string> => (await startTestServer(createServer(respond))).url;

const descriptionOf = async ({ url }: RunningGraph) => (await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription;

test('the node service serves the description of the network without CORS headers', async () => {
  const { nodeService } = sharedDevnet();
  const response = await fetch(`${nodeService.origin}/devnet.json`, { headers: { origin: 'http://localhost:5173' } });
  expect(await response.json()).toEqual(sharedDevnet());
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('a graph with DEVNET_URL has the chain, the tournament, the token list and the accounts of the network', async () => {
  const devnet = sharedDevnet();
  const graph = await serveGraph({ DEVNET_URL: devnet.nodeService.origin });
  const bare = devnet.contracts.find(({ kind }) => kind === 'erc20-bare')!;
  const data = await dataOf(
    graph.execute(
      `{ block(number: 20) { transactionCount } wizards(first: 1) { totalCount } token(address: "${bare.address}") { symbol } }`,
    ),
  );
  // Only the token list has the symbol.
  expect(data).toMatchObject({ block: { transactionCount: '0xf0' }, token: { symbol: 'NMLS' } });
  expect(data.wizards.totalCount).toBeGreaterThan(0);
  expect(await descriptionOf(graph)).toEqual(devnet);
  await graph.stop();
});

test('two subgraphs with one DEVNET_URL follow the same chain', async () => {
  const DEVNET_URL = sharedDevnet().nodeService.origin;
  const graphs = [await serveGraph({ DEVNET_URL, DOMAIN: 'chain' }), await serveGraph({ DEVNET_URL, DOMAIN: 'wizards' })];
  const [chain, wizards] = await Promise.all([
    graphs[0]!.execute(
      '{ block { number } _entities(representations: [{ __typename: "Block", number: "0x1" }]) { __typename } }',
    ),
    graphs[1]!.execute('{ wizards { nodes { createdBlock { number } } } }'),
  ]);
  expect([chain.errors, wizards.errors]).toEqual([undefined, undefined]);
  const numbers: string[] = wizards.data.wizards.nodes.map((wizard) => wizard.createdBlock.number);
  const head = Number(chain.data.block.number);
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers.filter((number) => Number(number) > head)).toEqual([]);
  await Promise.all(graphs.map((graph) => graph.stop()));
});

test('the services of the network have the host of DEVNET_URL', async () => {
  const { nodeService, wizardService } = sharedDevnet();
  const graph = await serveGraph({ DEVNET_URL: nodeService.origin.replace('127.0.0.1', 'localhost') });
  const description = await descriptionOf(graph);
  expect(description.nodeService.http).toBe(nodeService.http.replace('127.0.0.1', 'localhost'));
  expect(description.nodeService.ws).toBe(nodeService.ws.replace('127.0.0.1', 'localhost'));
  expect(description.wizardService.url).toBe(wizardService.url.replace('127.0.0.1', 'localhost'));
  await graph.stop();
});

test('a network that listens on every address is reached by another address than loopback', async () => {
  const devnet = await startDevnet({ hasActivity: false, host: '0.0.0.0', log });
  const { origin } = devnet.description.nodeService;
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const graph = await serveGraph({ DEVNET_URL: origin.replace('127.0.0.1', '127.0.0.2') });
  const { data, errors } = await graph.execute('{ block { number } wizards(first: 1) { totalCount } }');
  expect([data.block.number, errors]).toEqual([expect.stringMatching(/^0x/), undefined]);
  expect((await descriptionOf(graph)).nodeService.ws).toMatch(/^ws:\/\/127\.0\.0\.2:/);
  await graph.stop();
  await devnet.stop();
});

describe('a start fails with one line that names the setting', () => {
  const failureOf = async (settings: Record<string, string>): Promise<string> => {
    const error = await serveGraph(settings).then(
      () => undefined,
      (cause: Error) => cause,
    );
    expect(error).toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
    return error!.message;
  };

  test('a start without a server at DEVNET_URL fails', async () => {
    const port = await findFreePort();
    expect(await failureOf({ DEVNET_URL: `http://127.0.0.1:${port}` })).toBe(
      `Cannot read the embedded network at http://127.0.0.1:${port} (ECONNREFUSED). Set DEVNET_URL to the URL of a running "grimoire devnet".`,
    );
  });

  test('a start with a DEVNET_URL that does not respond fails after RPC_TIMEOUT_MS', async () => {
    const DEVNET_URL = await startHttpServer(() => {});
    expect(await failureOf({ DEVNET_URL, RPC_TIMEOUT_MS: '50' })).toContain(`${DEVNET_URL} (timeout). Set DEVNET_URL`);
  });

  test.each<[string, RequestListener, string]>([
    ['responds with an error', (_request, response) => response.writeHead(404).end(), '(status 404)'],
    ['is another service', (_request, response) => response.end('{}'), '(the response is not its description)'],
    ['is a web page', (_request, response) => response.end('<html>'), '(the response is not its description)'],
  ])('a start with a DEVNET_URL that %s fails', async (_case, respond, reason) => {
    expect(await failureOf({ DEVNET_URL: await startHttpServer(respond) })).toContain(reason);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['a subgraph without a chain', { DOMAIN: 'wizards' }, /^A server of single domains .*RPC_URL.*DEVNET_URL/],
    [
      'a subgraph with only a wizard service',
      { DOMAIN: 'wizards', WIZARDS_URL: 'http://127.0.0.1:1' },
      /^A server of single domains .*RPC_URL.*DEVNET_URL/,
    ],
    ['two chains', { RPC_URL: 'http://127.0.0.1:1', DEVNET_URL: 'http://127.0.0.1:1' }, /^RPC_URL and DEVNET_URL are both set/],
    ['an unknown chain with a malformed API key', { DOMAIN: 'wizards', API_KEYS: 'shop' }, /^Entry 1 of API_KEYS/],
  ])('a start of %s fails', async (_case, settings, message) => {
    expect(await failureOf(settings)).toMatch(message);
  });
});
