import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { DeliveredHeads, DeliveredLogs, LOG_FIELDS } from '../../support/subscriptions/delivered-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The process ids of the workers that accept requests, in the order of their starts. */
const workerIds = ({ output }: GraphProcess): number[] =>
  [...output().matchAll(/"pid":(\d+),"msg":"a worker accepts requests"/g)].map(([, pid]) => Number(pid));

const KILLS = runSize(6, 100);
const BLOCKS = 40;

test(`${KILLS} workers are killed or stopped while reorgs happen: no event is lost or repeated, and no request fails on other connections`, async () => {
  const seed = readSeed();
  const next = random(seed);
  const chain = new SimChain({ seed, blocks: BLOCKS, bloom: 'real' });
  const node = await startSimNode({ chain });
  const graph = await startGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl, WORKERS: '3', LOG_LEVEL: 'info' });
  const ended = new Set<number>();
  const earlier = (await graph.execute(`{ logs(filter: { fromBlock: 20 }) { ${LOG_FIELDS} } }`)).data.logs;
  const lines = Array.from({ length: 9 }, () => new WebSocketConnection(graph.url));
  const query = `subscription ($after: String) { logs(after: $after) { ${LOG_FIELDS} } }`;
  const logClients = lines.map((line) => new DeliveredLogs(line, query, earlier));
  const headClients = lines.map((line) => new DeliveredHeads(line, '', chain.head.hash));
  const runs = [...logClients, ...headClients].map((client) => client.run());
  let isOver = false;
  const failures: unknown[] = [];
  // A connection of its own for each request: only those that a worker has accepted before its end may fail.
  const requests = (async () => {
    while (!isOver) {
      const client = new KeepAliveClient(graph.url);
      const response = await client.post('{ block { number } }').catch(() => undefined);
      if (response && (response.status !== 200 || response.body.includes('"errors"'))) failures.push(response);
      client.close();
    }
  })();
  const canonical = () => Array.from({ length: chain.head.height - 19 }, (_, i) => chain.main.at(20 + i)!.logs).flat();
  const haveAll = () =>
    logClients.every((client) => client.has(canonical())) && headClients.every((client) => client.last === chain.head.hash);
  // The first reorg must not remove the head that the subscribers start at.
  chain.mine(4);
  await waitUntil(haveAll, 'the subscribers have the first events');
  for (let kills = 0; kills < KILLS; kills++) {
    const running = workerIds(graph).filter((pid) => !ended.has(pid));
    const victim = running[Math.floor(next() * running.length)]!;
    ended.add(victim);
    // A stopped worker could serve an old head when it continues, so the server kills it.
    process.kill(victim, kills % 3 === 2 ? 'SIGSTOP' : 'SIGKILL');
    chain.reorg(Math.floor(next() * 4), 4);
    await waitUntil(() => workerIds(graph).length === 3 + ended.size, 'another worker has started');
    await waitUntil(haveAll, 'the subscribers have all events');
  }
  isOver = true;
  await requests;
  for (const line of lines) line.close();
  await Promise.all(runs);
  expect(failures).toEqual([]);
  expect([...logClients, ...headClients].flatMap(({ flaws }) => flaws)).toEqual([]);
});

test('a worker that hangs does not outlive the server', async () => {
  const node = await startSimNode({ chain: new SimChain({ seed: 1, blocks: 3 }) });
  const graph = await startGraph({ RPC_URL: node.url, WORKERS: '2' });
  const [hanging] = workerIds(graph) as [number];
  process.kill(hanging, 'SIGSTOP');
  const exited = once(graph.process, 'exit');
  graph.process.kill('SIGTERM');
  await exited;
  // The init process of a container may leave it as a zombie.
  const hasEnded = () => !existsSync(`/proc/${hanging}/stat`) || / Z /.test(readFileSync(`/proc/${hanging}/stat`, 'utf8'));
  await waitUntil(hasEnded, 'the worker has ended');
});
