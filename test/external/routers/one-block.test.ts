import { createServer, type IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { startTestServer } from '../../support/test-server.ts';
import { APOLLO_GATEWAY, composeSupergraph, HIVE_GATEWAY, type Router, startRouter } from './router-processes.ts';
import {
  mineTransfer,
  readDevnet,
  type Subgraphs,
  startSubgraphs,
  upstreamSettings,
  urlsOf,
  waitForHead,
} from './split-graph.ts';

/** The head of the tokens subgraph is older than the head of the chain subgraph, as of a replica that lags behind. */
let graph: GraphProcess;
let devnet: DevnetDescription;
let subgraphs: Subgraphs;
let supergraph: string;
/** Hive Gateway and Apollo Gateway, which forward what a client sends. */
let forwarding: readonly [hive: Router, apollo: Router];
let head: string;
/** Counts the calls of all subgraphs but that of the tokens. */
let counted: NodeProxy;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' });
  devnet = await readDevnet(graph);
  const settings: Record<string, string> = { ...upstreamSettings(devnet), LOG_LEVEL: 'error' };
  const proxy = await startProxy(devnet.nodeService.http);
  counted = await startProxy(devnet.nodeService.http);
  const { RPC_WS_URL, ...polling } = settings;
  const [tokens, others] = await Promise.all([
    startGraph({ ...polling, RPC_URL: proxy.url, NODE_METHODS: 'plain', DOMAIN: 'tokens' }),
    startSubgraphs({ ...settings, RPC_URL: counted.url, CACHE_BYTES: '0' }),
  ]);
  subgraphs = { ...others, tokens };
  supergraph = await composeSupergraph(urlsOf(subgraphs));
  forwarding = await Promise.all([startRouter(HIVE_GATEWAY, supergraph), startRouter(APOLLO_GATEWAY, supergraph)]);

  const old = await rpc(devnet.endpoints.http, 'eth_getBlockByNumber', ['latest', false]);
  proxy.intercept = ({ method, params }) => {
    if (method === 'eth_blockNumber') return { result: old.number };
    return method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: old } : undefined;
  };
  head = await mineTransfer(devnet);
  await waitForHead(head, [graph, subgraphs.chain]);
});

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY].map((kind, i) => ({ ...kind, kind, i })))('$name', ({ kind, i }) => {
  test('subgraphs with different heads read one block if the router or the client names it', async () => {
    const query = `{ account(address: "${devnet.accounts[0]!.address}") {
      transactionCount tokenBalance(contract: "${devnet.contracts[0]!.address}") { tokenBalance } } }`;
    const { data: expected } = await graph.execute(query);
    const { transactionCount } = expected.account;
    const { data: mixed } = await forwarding[i]!.execute(query);
    expect(mixed.account.transactionCount).toBe(transactionCount);
    expect(mixed.account.tokenBalance).not.toEqual(expected.account.tokenBalance);
    expect((await forwarding[i]!.execute(query, {}, { 'x-graph-block': head })).data).toEqual(expected);

    const pinning = await startRouter(kind, supergraph, { CHAIN_URL: `${subgraphs.chain.url}/graphql` });
    expect((await pinning.execute(query)).data).toEqual(expected);
    const before = { 'x-graph-block': String(devnet.landmarks.lastBlock) };
    expect((await pinning.execute(query, {}, before)).data.account).toEqual({
      ...mixed.account,
      transactionCount: `0x${(Number(transactionCount) - 1).toString(16)}`,
    });
    await pinning.stop();
  });

  test('the events of a page of duels are one call, as in the one graph', async () => {
    const query =
      '{ duels(first: 5) { nodes { id startLog { index transactionHash } endLog { index } transaction { hash nonce } } } }';
    const { data: expected } = await graph.execute(query);
    expect(expected.duels.nodes[0]!.startLog).not.toBeNull();
    counted.takeCounts();
    expect((await forwarding[i]!.execute(query)).data).toEqual(expected);
    expect(counted.takeCounts().methods.eth_getLogs).toBe(1);
  });

  test('the headers that subgraphs read are forwarded, and no others', async () => {
    const requests: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      requests.push(request.headers);
      request.resume();
      response.setHeader('content-type', 'application/json').end('{"data":{"chainID":"0x1"}}');
    });
    const { url } = await startTestServer(server);
    const router = await startRouter(kind, supergraph.replace(subgraphs.chain.url, url));
    const forwarded = {
      authorization: 'Bearer client',
      'x-api-key': 'client',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1',
      'x-request-id': 'request-of-a-client',
      'x-graph-block': head,
      'x-graph-min-block': '3',
    };
    const { data } = await router.execute('{ chainID }', {}, { ...forwarded, cookie: 'a=b', 'x-other': '1' });
    expect(data).toEqual({ chainID: '0x1' });
    expect(requests).toEqual([expect.objectContaining(forwarded)]);
    expect(Object.keys(requests[0]!)).not.toEqual(expect.arrayContaining(['cookie']));
    expect(Object.keys(requests[0]!)).not.toEqual(expect.arrayContaining(['x-other']));
    await router.stop();
  });
});

test('Hive Gateway fails the fields of a subgraph that is down with UPSTREAM_UNAVAILABLE and its name', async () => {
  await subgraphs.wizards.stop();
  const { data, errors } = await forwarding[0].execute('{ chainID wizards { nodes { id } } }');
  expect(data).toEqual({ chainID: '0x7a69', wizards: null });
  const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, subgraph: 'wizards' };
  expect(errors).toEqual([expect.objectContaining({ path: ['wizards'], extensions })]);
});
