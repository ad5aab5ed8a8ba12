import { beforeAll, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { createMiner, errorCodesOf, executeQuery, rpcOf, waitForGraphHead } from '../../support/graph/consistent-reads.ts';
import type { CallNode } from '../../support/graph/rpc.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { startRelay } from '../../support/proxies/relay.ts';
import { startTcpProxy } from '../../support/proxies/tcp-proxy.ts';
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
let call: CallNode;

beforeAll(async () => {
  devnet = await startTestDevnet();
  call = rpcOf(devnet);
});

const waitForReadyz = (graph: RunningGraph, matches: (head: any, status: number) => boolean) =>
  pollEndpoint(graph, '/readyz', (response, body) => {
    const { head } = JSON.parse(body);
    return matches(head ?? {}, response.status) ? { head, status: response.status } : undefined;
  });
const ageOf = (graph: RunningGraph) =>
  pollEndpoint(graph, '/metrics', (_response, body) => Number(/^grimoire_head_age_seconds (\S+)$/m.exec(body)?.[1]));

test('/readyz and /metrics report the head and its age; polling takes over when the WebSocket is lost', async () => {
  const ws = new URL(devnet.description.nodeService.ws);
  const tcpProxy = await startTcpProxy(Number(ws.port), (client, upstream) => upstream.pipe(client));
  const relay = await startRelay(devnet.description.nodeService.http);
  const graph = await serveGraph({ RPC_URL: relay.url, RPC_WS_URL: `ws://127.0.0.1:${tcpProxy.port}${ws.pathname}` });
  const number = await call('eth_blockNumber');
  // The follower may poll until the WebSocket is connected.
  const { head } = await waitForReadyz(graph, ({ state, transport }) => state === 'live' && transport === 'websocket');
  expect(head).toEqual({ number, ageMs: expect.any(Number), state: 'live', transport: 'websocket' });
  expect(await ageOf(graph)).toBeGreaterThanOrEqual(0);
  const metrics = await pollEndpoint(graph, '/metrics', (_response, body) => body);
  expect(metrics).toMatch(new RegExp(`^grimoire_head_number ${Number(number)}$`, 'm'));

  await tcpProxy.stop();
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
