import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RunningGraph } from '../support/graph/running-graph.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import { type Relay, startRelay } from '../support/proxies/relay.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../support/simulator/node.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Clients whose searches for logs the node holds, beside a client with small queries. */
const BLOCK_COUNT = 40;

let node: SimNode;
let relay: Relay;
let graph: RunningGraph;
let releaseSearches: () => void;

beforeEach(async () => {
  const chain = new SimChain({ seed: 1, blocks: BLOCK_COUNT });
  node = await startSimNode({ chain });
  relay = await startRelay(node.url);
  const released = new Promise<void>((resolve) => {
    releaseSearches = resolve;
  });
  relay.beforeCall = ({ method }) => (method === 'eth_getLogs' ? released : undefined);
  const timeouts = { OPERATION_TIMEOUT_MS: '60000', RPC_TIMEOUT_MS: '60000' };
  graph = await serveGraph({ RPC_URL: relay.url, RPC_WS_URL: node.wsUrl, CACHE_BYTES: '0', ...timeouts });
});

afterEach(async () => {
  releaseSearches();
  await graph.stop();
  await relay.stop();
  await node.stop();
});

const search = (i: number) => graph.execute(`{ logs(filter: { fromBlock: ${i}, toBlock: 30 }) { data } }`);
const readBlock = (number: number) => graph.execute(`{ block(number: ${number}) { number size } }`);

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${graph.url}/metrics`)).text();
  return Number(new RegExp(`^grimoire_${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

test('a block query completes while the node holds the searches of twenty other clients', async () => {
  let settled = 0;
  const searches = Array.from({ length: 20 }, async (_none, i) => {
    const response = await search(i);
    settled += 1;
    return response;
  });
  await waitUntil(async () => (await metric('node_queued_requests')) === 16, 'four searches are sent and the others wait');
  for (let number = 1; number <= 10; number++) {
    expect((await readBlock(number)).data).toMatchObject({ block: { number: `0x${number.toString(16)}` } });
  }
  expect([settled, relay.pendingRequests]).toEqual([0, 4]);
  releaseSearches();
  for (const { data, errors } of await Promise.all(searches)) {
    expect({ hasLogs: Array.isArray(data.logs), errors }).toEqual({ hasLogs: true, errors: undefined });
  }
  expect(await metric('node_queued_requests')).toBe(0);
  expect(await metric('node_queue_waits_total')).toBe(16);
  expect(await metric('node_queue_wait_seconds_total')).toBeGreaterThan(0);
  expect(await metric('node_overloaded_total')).toBe(0);
});
