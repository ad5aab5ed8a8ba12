import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { BLOCKS, execute, startWorkers, workerIds } from '../../support/graph/workers.ts';
import type { SimChain } from '../../support/simulator/chain.ts';
import { DeliveredLogs, LOG_FIELDS } from '../../support/subscriptions/delivered-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A server of several processes (WORKERS), as its clients and its node see it. */
const HEAD_QUERY = '{ block { number } }';

const canonicalLogs = ({ main, head }: SimChain) =>
  Array.from({ length: head.height - 49 }, (_, i) => main.at(50 + i)!.logs).flat();

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

test('no client sees an older head on a second connection, while blocks arrive and reorgs happen', async () => {
  const { chain, graph } = await startWorkers(3);
  const positions = new Map<string, number>();
  for (let height = 0; height <= BLOCKS; height++) positions.set(chain.main.at(height)!.hash, height);
  let isOver = false;
  const older: unknown[] = [];
  let reads = 0;
  const clients = Array.from({ length: 6 }, async () => {
    let last = 0;
    while (!isOver) {
      const { data } = await execute(graph, '{ block { hash } }');
      const position = positions.get(data.block.hash)!;
      if (position < last) older.push({ position, last });
      last = position;
      reads++;
    }
  });
  for (let i = 0; i < 60; i++) {
    const { added } = i % 10 === 9 ? chain.reorg(2, 4) : chain.mine();
    for (const { hash } of added) positions.set(hash, positions.size);
    const before = reads;
    await waitUntil(() => reads >= before + 6, 'the clients have read the head');
  }
  isOver = true;
  await Promise.all(clients);
  expect(older).toEqual([]);
  expect(reads).toBeGreaterThanOrEqual(360);
});

test('a killed worker costs its own connections; its subscribers resume elsewhere without a loss, and another worker starts', async () => {
  const { chain, graph } = await startWorkers(2);
  const { data } = await execute(graph, `{ logs(filter: { fromBlock: 50 }) { ${LOG_FIELDS} } }`);
  const lines = Array.from({ length: 8 }, () => new WebSocketConnection(graph.url));
  const query = `subscription ($after: String) { logs(after: $after) { ${LOG_FIELDS} } }`;
  const clients = lines.map((line) => new DeliveredLogs(line, query, data.logs));
  const runs = clients.map((client) => client.run());
  const hasAll = () => clients.every((client) => client.has(canonicalLogs(chain)));
  for (let kills = 0; kills < 2; kills++) {
    chain.mine(3);
    await waitUntil(hasAll, 'every client has the logs');
    const resumptions = clients.map(({ counts }) => counts.resumptions);
    const started = workerIds(graph).length;
    process.kill(workerIds(graph).at(-1)!, 'SIGKILL');
    chain.reorg(2, 4);
    await waitUntil(hasAll, 'every client has the logs after the kill');
    await waitUntil(() => workerIds(graph).length > started, 'another worker has started');
    const interrupted = clients.filter(({ counts }, i) => counts.resumptions > resumptions[i]!).length;
    // Connections are distributed in turns; the first kill interrupts about half of them.
    expect(interrupted).toBeLessThan(clients.length);
  }
  for (const line of lines) line.close();
  await Promise.all(runs);
  expect(clients.flatMap(({ flaws }) => flaws)).toEqual([]);
  expect(clients.some(({ counts }) => counts.resumptions > 1)).toBe(true);
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

test('SIGTERM completes the operations of all workers, and the program exits with status 0', async () => {
  const { node, graph } = await startWorkers(2);
  node.logDelayMs = () => 1_500;
  const responses = Array.from({ length: 6 }, (_, i) =>
    execute(graph, `{ block(number: ${i + 10}) { logs(filter: {}) { data } } }`),
  );
  await waitUntil(async () => (await new KeepAliveClient(graph.url).metric('connections')) >= 6, 'the operations run');
  const exited = once(graph.process, 'exit');
  graph.process.kill('SIGTERM');
  expect((await Promise.all(responses)).map(({ status, errors }) => ({ status, errors }))).toEqual(
    Array(6).fill({ status: 200, errors: undefined }),
  );
  expect(await exited).toEqual([0, null]);
});
