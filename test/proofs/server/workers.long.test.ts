import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { execute, startWorkers, workerIds } from '../../support/graph/workers.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

const HEAD_QUERY = '{ block { number } }';

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

/**
 * Resolves when all workers have received what the others have sent before: the metrics are read from all workers, in
 * order with other messages.
 */
async function settle({ url }: RunningGraph): Promise<void> {
  const client = new KeepAliveClient(url);
  for (let i = 0; i < 2; i++) await client.send('/metrics');
  client.close();
}

test('a worker knows the hashes of old heights that another worker has read', async () => {
  const { node, graph } = await startWorkers(2);
  const query = '{ block(number: 5) { hash } }';
  await execute(graph, query);
  await settle(graph);
  const calls = node.totalCalls();
  for (let i = 0; i < 4; i++) expect((await execute(graph, query)).data.block.hash).toMatch(/^0x/);
  expect(node.totalCalls()).toBe(calls);
});

test('each of two workers accepts 40 to 60 % of new connections', async () => {
  const { graph } = await startWorkers(2);
  const { hostname, port } = new URL(graph.url);
  const socketsOf = (pid: number): number =>
    readdirSync(`/proc/${pid}/fd`).filter((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
      } catch {
        return false;
      }
    }).length;
  const before = workerIds(graph).map(socketsOf);
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname));
  await waitUntil(async () => {
    const metrics = await new KeepAliveClient(graph.url).metric('connections');
    return metrics >= 100;
  }, 'the server has accepted the connections');
  for (const [i, pid] of workerIds(graph).entries()) {
    const share = (socketsOf(pid) - before[i]!) / 100;
    // One connection reads the metrics.
    expect([0.5, 0.51]).toContain(share);
  }
  for (const socket of sockets) socket.destroy();
});

test('the cost of the subscriptions of all workers is limited, also after a worker was killed', async () => {
  const { graph } = await startWorkers(2, { MAX_SERVER_SUBSCRIPTION_COST: '12' });
  const sockets: RawSocket[] = [];
  const subscribe = async () => {
    const socket = await RawSocket.connect(graph.url);
    socket.subscribe('1', `subscription Own${sockets.push(socket)} { newHeads { number } }`);
    // The response to a query follows the error of the subscription, if there is one.
    socket.subscribe('2', '{ chainID }');
    await socket.waitForMessage(({ id, type }) => id === '2' && type === 'complete');
    return socket.messages.find(({ id, type }) => id === '1' && type === 'error')?.payload[0].extensions.code ?? 'ok';
  };
  const codes: string[] = [];
  for (let i = 0; i < 5; i++) codes.push(await subscribe());
  expect(codes).toEqual(['ok', 'ok', 'ok', 'TOO_MANY_SUBSCRIPTIONS', 'TOO_MANY_SUBSCRIPTIONS']);
  for (const full of sockets.slice(3)) full.close();
  process.kill(workerIds(graph)[0]!, 'SIGKILL');
  await Promise.race(sockets.slice(0, 3).map(({ closed }) => closed));
  await waitUntil(() => workerIds(graph).length === 3, 'another worker has started');
  const freed = sockets.slice(0, 3).filter(({ ws }) => ws.readyState === ws.CLOSED).length;
  // The first connection belongs to the new worker.
  for (let i = 0; i < freed; i++) expect(await subscribe()).toBe('ok');
  expect([await subscribe(), await subscribe()]).toEqual(['TOO_MANY_SUBSCRIPTIONS', 'TOO_MANY_SUBSCRIPTIONS']);
});

test('a worker that starts delays neither the metrics nor SIGTERM', async () => {
  const { graph } = await startWorkers(2);
  const killOne = async (pid: number) => {
    const isEnd = /a worker has ended/g;
    const ends = graph.output().match(isEnd)?.length ?? 0;
    process.kill(pid, 'SIGKILL');
    await waitUntil(() => graph.output().match(isEnd)?.length === ends + 1, 'the server starts another worker');
  };
  await killOne(workerIds(graph)[0]!);
  expect((await new KeepAliveClient(graph.url).send('/metrics')).status).toBe(200);
  await waitUntil(() => workerIds(graph).length === 3, 'another worker has started');
  await killOne(workerIds(graph)[1]!);
  const exited = once(graph.process, 'exit');
  graph.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('the log names the reason why a worker does not start again', async () => {
  const list = join(createTemporaryFolder(), 'list.json');
  writeFileSync(list, JSON.stringify({ name: 'List', timestamp: '', version: {}, tokens: [] }));
  const { graph } = await startWorkers(2, { TOKEN_LISTS: list });
  writeFileSync(list, 'no JSON');
  process.kill(workerIds(graph)[0]!, 'SIGKILL');
  await waitUntil(() => /"reason":"The token list .*a worker cannot start/.test(graph.output()), 'the reason is logged');
});

test('a failure of the start of the workers is the failure of the program', async () => {
  const { node, graph } = await startWorkers(1);
  const { port } = new URL(graph.url);
  await expect(startGraph({ RPC_URL: node.url, WORKERS: '2', PORT: port })).rejects.toThrow(
    /exited with status 1: .*Cannot listen on 127\.0\.0\.1, port \d+ \(EADDRINUSE\)/s,
  );
});

test('4 workers send the calls that one process sends, for reads one after the other and at once', async () => {
  const countCalls = async (workers: number) => {
    const { graph, proxy, devnet } = await startSharedDevnetSetup({ WORKERS: String(workers) });
    const { accounts, landmarks } = devnet.description;
    const balances = accounts
      .slice(0, 5)
      .map(({ address }, i) => `a${i}: account(address: "${address}") { balanceIn transactionCount }`);
    const reads = [
      `{ block(number: ${landmarks.crowdedBlock}) { hash transactions { hash value status logs { data } } } }`,
      '{ block(number: 21) { hash transactions { value } } next: block(number: 22) { gasUsed } }',
      '{ block(number: 21) { transactions { hash nonce } parent { gasUsed } } }',
      '{ chainID }',
      `{ transaction(hash: "${landmarks.tokenTransfer}") { value receipt { gasUsed logs { topics } } } }`,
      '{ blocks(from: 10, to: 19) { gasLimit transactions { hash } } }',
      '{ block(number: 15) { logs(filter: {}) { data } } }',
      `{ ${balances.join(' ')} }`,
    ];
    const results: unknown[] = [];
    for (const query of reads) {
      for (let i = 0; i < 6; i++) results.push(await execute(graph, query));
      results.push(proxy.takeCounts());
    }
    const atOnce = Array.from({ length: 12 }, () =>
      execute(graph, '{ blocks(from: 23, to: 29) { size transactions { value } } }'),
    );
    results.push(await Promise.all(atOnce), proxy.takeCounts());
    await graph.stop();
    expect(JSON.stringify(results)).not.toContain('"errors"');
    return results;
  };
  const [one, four] = [await countCalls(1), await countCalls(4)];
  expect(four).toEqual(one);
  expect(one.filter((result) => (result as { http?: number }).http === 1).length).toBeGreaterThanOrEqual(5);
});

test('limits of rates and of connections are limits of the server', async () => {
  const { graph } = await startWorkers(4, { RATE_LIMIT_REQUESTS: '20', MAX_CONNECTIONS: '6' });
  const statuses = [];
  for (let i = 0; i < 24; i++) statuses.push((await execute(graph, '{ chainID }')).status);
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);

  const sockets = [];
  for (let i = 0; i < 6; i++) sockets.push(await RawSocket.connect(graph.url));
  const client = new KeepAliveClient(graph.url);
  expect((await client.send('/healthz')).status).toBe(503);
  sockets[0]!.ws.terminate();
  await waitUntil(async () => (await client.send('/healthz')).status === 200, 'a connection is free');
  // An idle connection gives way, also one of another worker.
  for (let i = 0; i < 4; i++) {
    const other = new KeepAliveClient(graph.url);
    expect((await other.send('/healthz')).status).toBe(200);
  }
});

test('metrics contain the sums of all workers', async () => {
  const { chain, graph } = await startWorkers(3);
  for (let i = 0; i < 9; i++) await execute(graph, HEAD_QUERY);
  const client = new KeepAliveClient(graph.url);
  const { body } = await client.send('/metrics');
  expect(body).toContain('grimoire_operations_total{name="anonymous",type="query",code="ok"} 9');
  expect(await client.metric('head_number')).toBe(chain.head.height);
  expect(await client.metric('reorgs_total')).toBe(0);
  chain.reorg(1, 2);
  await waitUntil(async () => (await client.metric('reorgs_total')) === 1, 'the reorg is counted once');
  expect(await client.metric('connections')).toBe(1);
});
