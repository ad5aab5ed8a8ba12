import { createServer, connect as dial, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import {
  createMiner,
  errorCodesOf,
  executeQuery,
  nameOf,
  newestBlocksQuery,
  type Rpc,
  rpcOf,
  startQuietDevnet,
  waitForGraphHead,
} from '../../support/graph/consistent-reads.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { startRelay } from '../../support/proxies/relay.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Polls a path of the server until `find` returns a value. */
async function pollEndpoint<T>(
  graph: RunningGraph,
  path: string,
  find: (response: Response, body: string) => T | undefined,
): Promise<T> {
  let found: T | undefined;
  const poll = async () => {
    const response = await fetch(`${graph.url}${path}`);
    found = find(response, await response.text());
    return found !== undefined;
  };
  await waitUntil(poll, `${path} returns the expected value`);
  return found!;
}

let devnet: Devnet;
let call: Rpc;

beforeAll(async () => {
  devnet = await startQuietDevnet();
  call = rpcOf(devnet);
});

afterAll(() => devnet?.stop());

const waitForReadyz = (graph: RunningGraph, matches: (head: any, status: number) => boolean) =>
  pollEndpoint(graph, '/readyz', (response, body) => {
    const { head } = JSON.parse(body);
    return matches(head ?? {}, response.status) ? { head, status: response.status } : undefined;
  });
const ageOf = (graph: RunningGraph) =>
  pollEndpoint(graph, '/metrics', (_response, body) => Number(/^grimoire_head_age_seconds (\S+)$/m.exec(body)?.[1]));

/** A TCP proxy whose connections can be closed permanently. */
async function startTcpProxy(target: string) {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [near, far].map((one) => one.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as { port: number }).port}${pathname}`,
    disconnect() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('/readyz and /metrics report the head and its age; polling takes over when the WebSocket is lost', async () => {
  const tcpProxy = await startTcpProxy(devnet.description.nodeService.ws);
  const relay = await startRelay(devnet.description.nodeService.http);
  const graph = await serveGraph({ RPC_URL: relay.url, RPC_WS_URL: tcpProxy.url });
  const number = await call('eth_blockNumber');
  // The follower may poll until the WebSocket is connected.
  const { head } = await waitForReadyz(graph, ({ state, transport }) => state === 'live' && transport === 'websocket');
  expect(head).toEqual({ number, ageMs: expect.any(Number), state: 'live', transport: 'websocket' });
  expect(await ageOf(graph)).toBeGreaterThanOrEqual(0);
  const metrics = await pollEndpoint(graph, '/metrics', (_response, body) => body);
  expect(metrics).toMatch(new RegExp(`^grimoire_head_number ${Number(number)}$`, 'm'));

  tcpProxy.disconnect();
  await waitForReadyz(graph, ({ transport, state }) => transport === 'polling' && state === 'live');
  await createMiner(devnet)(1);
  const { hash } = await call('eth_getBlockByNumber', 'latest', false);
  await waitForGraphHead(graph, hash);
  // The follower has the head: the operation does not request it.
  relay.resetCounts();
  let headRequests = 0;
  relay.beforeCall = ({ params }) => {
    if (params[0] !== 'latest' && params.length > 0) headRequests += 1;
  };
  expect((await executeQuery(graph, '{ block { number parent { number } } }')).extensions!.block!.hash).toBe(hash);
  expect(headRequests).toBe(0);

  await relay.stop();
  const dead = await waitForReadyz(graph, (_head, status) => status === 503);
  expect(dead.head).toBeUndefined();
  expect(errorCodesOf(await executeQuery(graph, '{ chainID }'))[0]).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  // The head expires after two seconds.
  await pollEndpoint(graph, '/metrics', (_response, body) => (/^grimoire_head_number \d/m.test(body) ? undefined : true));
  expect(errorCodesOf(await executeQuery(graph, '{ block { number } }'))[0]).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  expect(await ageOf(graph)).toBeGreaterThan(0);
  await graph.stop();
});

test('a node that switches to another chain makes every operation UPSTREAM_CHAIN_CHANGED', async () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine(40);
  const node = await startSimNode({ chain });
  const graph = await serveGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl });
  expect((await executeQuery(graph, '{ chainID }')).data).toEqual({ chainID: '0x7' });
  node.chainId = '0x8';
  node.disconnect('reset');
  // Not /readyz, which sends requests to the node itself.
  await waitUntil(() => graph.output().includes('following the chain ended with a fatal error'), 'the log has the fatal error');
  expect(errorCodesOf(await executeQuery(graph, '{ chainID }'))).toEqual(['UPSTREAM_CHAIN_CHANGED']);
  expect(errorCodesOf(await executeQuery(graph, '{ block { number } }'))).toEqual(['UPSTREAM_CHAIN_CHANGED']);
  expect(await pollEndpoint(graph, '/readyz', (_response, body) => JSON.parse(body).code)).toBe('UPSTREAM_CHAIN_CHANGED');
  await graph.stop();
});

test('a graph without a WebSocket polls the head and follows reorgs', async () => {
  const relay = await startRelay(devnet.description.nodeService.http);
  const graph = await serveGraph({ RPC_URL: relay.url, CACHE_BYTES: '0' });
  const mine = createMiner(devnet);
  const { head } = await waitForReadyz(graph, ({ state }) => state === 'live');
  expect(head).toEqual({
    number: await call('eth_blockNumber'),
    ageMs: expect.any(Number),
    state: 'live',
    transport: 'polling',
  });
  const base = Number(await call('eth_blockNumber'));
  const alice = devnet.description.accounts[0]!.address;
  for (const blocks of [3, 5]) {
    const before = await call('evm_snapshot');
    const transaction = await mine(blocks);
    const newest = await call('eth_getBlockByNumber', 'latest', false);
    await waitForGraphHead(graph, newest.hash);
    const { data, errors, extensions } = await executeQuery(graph, newestBlocksQuery(alice, base, transaction));
    expect({ errors, block: extensions!.block }).toEqual({ errors: undefined, block: nameOf(newest) });
    expect(data.account.balance).toBe(await call('eth_getBalance', alice, { blockHash: newest.hash }));
    expect(data.blocks).toHaveLength(blocks + 1);
    expect(data.transaction.confirmations).toBe('0x1');
    await call('evm_revert', before);
  }
  await graph.stop();
});
