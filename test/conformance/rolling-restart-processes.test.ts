import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { KeepAliveClient } from '../support/clients/keep-alive-client.ts';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { startBalancer } from '../support/proxies/balancer.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { startSimNode } from '../support/simulator/node.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROUNDS = 2;
const CLIENTS = 10;

test('no request over a keep-alive connection fails while processes behind a balancer get SIGTERM one by one', async () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine(3);
  const node = await startSimNode({ chain });
  const start = (): Promise<GraphProcess> => startGraph({ RPC_URL: node.url });
  const balancer = await startBalancer();
  let graphs = await Promise.all([start(), start()]);
  for (const { url } of graphs) await balancer.addServer(url);
  const failures: unknown[] = [];
  const counts = Array.from({ length: CLIENTS }, () => 0);
  let isOver = false;
  const clients = counts.map(async (_count, i) => {
    const client = new KeepAliveClient(balancer.url);
    while (!isOver) {
      const { status, body } = await client
        .post('{ chainID block { hash } }')
        .catch((error) => ({ status: 0, body: String(error) }));
      if (status !== 200 || body.includes('"errors"')) failures.push({ status, body });
      counts[i]!++;
      await new Promise((resolve) => setTimeout(resolve, i * 10));
    }
  });
  for (let round = 0; round < ROUNDS; round++) {
    const replacement = await start();
    await balancer.addServer(replacement.url);
    const [oldest, ...others] = graphs;
    const exited = once(oldest!.process, 'exit');
    oldest!.process.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    balancer.removeServer(oldest!.url);
    graphs = [...others, replacement];
    const before = [...counts];
    await waitUntil(() => counts.every((count, i) => count > before[i]! + 2), 'every client has sent further requests');
  }
  isOver = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
});
