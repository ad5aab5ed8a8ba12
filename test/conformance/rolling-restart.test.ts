import { afterEach, expect, test } from '@jest/globals';
import { KeepAliveClient } from '../support/clients/keep-alive-client.ts';
import { startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';
import { startBalancer } from '../support/proxies/balancer.ts';

const ROUNDS = 5;
/** Pauses of the clients between two requests, in milliseconds; shorter than the grace period. */
const PAUSES_MS = [0, 0, 0, 1, 5, 20, 50, 100];
const GRACE_MS = 5_000;

const started: ToyServer[] = [];

async function startServer(): Promise<ToyServer> {
  const server = await startToyServer({ timing: { drainGraceMs: GRACE_MS } });
  started.push(server);
  return server;
}

// Also after a failed test, so that jest can exit.
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

test('no mutation over a keep-alive connection fails while the servers behind a balancer are replaced one by one', async () => {
  const balancer = await startBalancer();
  let servers = [await startServer(), await startServer()];
  for (const { url } of servers) await balancer.addServer(url);
  const failures: unknown[] = [];
  const counts = PAUSES_MS.map(() => 0);
  let isOver = false;
  const clients = PAUSES_MS.map(async (pauseMs, i) => {
    const client = new KeepAliveClient(balancer.url);
    while (!isOver) {
      const { status, body } = await client.post('mutation { bump }').catch((error) => ({ status: 0, body: String(error) }));
      if (status !== 200) failures.push({ status, body });
      counts[i]!++;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    client.close();
  });
  let executed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const replacement = await startServer();
    await balancer.addServer(replacement.url);
    const [oldest, ...others] = servers;
    await oldest!.stop();
    balancer.removeServer(oldest!.url);
    executed += oldest!.state.bumped;
    servers = [...others, replacement];
    const before = [...counts];
    await waitUntil(() => counts.every((count, i) => count > before[i]! + 2), 'every client has sent further requests');
  }
  isOver = true;
  await Promise.all(clients);
  await Promise.all(servers.map((server) => server.stop()));
  executed += servers.reduce((sum, { state }) => sum + state.bumped, 0);
  expect(failures).toEqual([]);
  // Each mutation is executed once.
  expect(executed).toBe(counts.reduce((sum, count) => sum + count, 0));
});
