import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { KeepAliveClient } from '../support/clients/keep-alive-client.ts';
import type { RawResponse } from '../support/clients/raw-request.ts';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { startBalancer } from '../support/proxies/balancer.ts';
import { runSize } from '../support/random-tests.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { startSimNode } from '../support/simulator/node.ts';
import { waitUntil } from '../support/wait-until.ts';

const SIGNALS = runSize(4, 100);
const QUERY = '{ chainID block { hash } }';
/** Waits for logs, which the node delays by up to three seconds: longer than the grace period, shorter than the drain. */
const SLOW_QUERY = '{ block(number: 2) { logs(filter: {}) { data } } }';
const MAX_LOG_DELAY_MS = 3_000;

let isOver = false;

// Also after a failed test, so that jest can exit.
afterEach(() => {
  isOver = true;
});

/** Sends requests until the test is over. A client without `keepsAlive` opens a connection for each. */
async function sendRequests(
  url: string,
  { query, pauseMs, keepsAlive }: { query: string; pauseMs: number; keepsAlive: boolean },
  onResponse: (response: Pick<RawResponse, 'status' | 'body'>) => void,
): Promise<void> {
  let client = new KeepAliveClient(url);
  while (!isOver) {
    onResponse(await client.post(query).catch((error) => ({ status: 0, body: String(error) })));
    if (!keepsAlive) {
      client.close();
      client = new KeepAliveClient(url);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  client.close();
}

test(`no accepted request fails while ${SIGNALS} processes behind a balancer get SIGTERM under load, one by one`, async () => {
  const chain = new SimChain({ seed: 1, blocks: 3 });
  const node = await startSimNode({ chain });
  node.logDelayMs = () => Math.random() * MAX_LOG_DELAY_MS;
  const balancer = await startBalancer();
  // Without the cache every request reaches the node.
  const addGraph = async (): Promise<GraphProcess> => {
    const graph = await startGraph({ RPC_URL: node.url, CACHE_BYTES: '0', LOG_LEVEL: 'warn' });
    await balancer.addServer(graph.url);
    return graph;
  };
  const graphs = await Promise.all([addGraph(), addGraph(), addGraph()]);
  const failures: unknown[] = [];
  let signals = 0;
  const kinds = [
    ...Array.from({ length: 10 }, (_, i) => ({ query: QUERY, pauseMs: i * 10, keepsAlive: true })),
    ...Array.from({ length: 4 }, () => ({ query: QUERY, pauseMs: 20, keepsAlive: false })),
    ...Array.from({ length: 10 }, () => ({ query: SLOW_QUERY, pauseMs: 0, keepsAlive: true })),
  ];
  const counts = kinds.map(() => 0);
  const clients = kinds.map((kind, i) =>
    sendRequests(balancer.url, kind, ({ status, body }) => {
      if (status !== 200 || body.includes('"errors"')) failures.push({ status, body, signals });
      counts[i]!++;
    }),
  );
  for (; signals < SIGNALS && failures.length === 0; signals++) {
    const oldest = graphs.shift()!;
    const exited = once(oldest.process, 'exit');
    oldest.process.kill('SIGTERM');
    const replacement = addGraph();
    expect(await exited).toEqual([0, null]);
    balancer.removeServer(oldest.url);
    graphs.push(await replacement);
  }
  const before = [...counts];
  await waitUntil(() => counts.every((count, i) => count > before[i]!), 'every client has sent further requests');
  isOver = true;
  await Promise.all(clients);
  process.stdout.write(`${signals} signals, ${counts.reduce((sum, count) => sum + count)} requests\n`);
  expect(failures).toEqual([]);
});
