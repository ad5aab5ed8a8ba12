import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { execute, startWorkers, workerIds } from '../../support/graph/workers.ts';
import { scrapeMetrics } from '../../support/scrape.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { DeliveredLogs, LOG_FIELDS } from '../../support/subscriptions/delivered-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A server of several processes (WORKERS), as its clients and its node see it. */

const canonicalLogs = ({ main, head }: SimChain) =>
  Array.from({ length: head.height - 49 }, (_, i) => main.at(50 + i)!.logs).flat();

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

/** A module that stops a worker for six seconds once it has joined a chain: longer than a worker that serves may leave a message unconfirmed. */
const HANGS_AT_ITS_START = `
  import cluster from 'node:cluster';
  const { send } = process;
  const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  if (cluster.isWorker) process.send = function (message, ...rest) {
    if (JSON.stringify(message).includes('"join default"')) setTimeout(hang, 10);
    return send.call(this, message, ...rest);
  };`;

test('a worker that starts slowly, as on a busy machine, is not killed', async () => {
  const module = `data:text/javascript;base64,${Buffer.from(HANGS_AT_ITS_START).toString('base64')}`;
  const { graph } = await startWorkers(2, { NODE_OPTIONS: `--import ${module}` });
  expect(workerIds(graph)).toHaveLength(2);
});

test('one process follows each chain for all workers, which share its results, and /metrics has one series for each chain', async () => {
  const further = new SimChain({ seed: 2, blocks: 9 });
  const node = await startSimNode({ chain: further, chainId: '0x5' });
  const { chain, graph } = await startWorkers(2, {
    CHAINS: writeChainsFile([{ id: 5, rpcUrl: node.url, rpcWsUrl: node.wsUrl }]),
  });
  const subscriptions = Array.from({ length: 4 }, () =>
    createSubscriptionClient(graph.url).subscribe('subscription { newHeads(chainId: 5, fromBlock: 9) { hash } }'),
  );
  await Promise.all(subscriptions.map((one) => one.waitForEvents(1)));
  further.mine();
  for (const events of await Promise.all(subscriptions.map((one) => one.waitForEvents(2))))
    expect(events[1]).toEqual({ newHeads: { hash: further.head.hash } });
  expect(node.sockets.size).toBe(1);
  const BALANCE = `fragment Balance on ChainFields { account(address: "0x${'1'.repeat(40)}") { balance } }`;
  for (let i = 0; i < 8; i++) await execute(graph, `{ ...Balance chain(id: 5) { ...Balance } } ${BALANCE}`);
  // The workers share the result.
  expect(node.callCounts.get('eth_getBalance')).toBe(1);
  const { text } = await scrapeMetrics(graph.url);
  const heads = text.split('\n').filter((line) => line.startsWith('grimoire_head_number'));
  expect(heads.sort()).toEqual([
    `grimoire_head_number{chain="5"} ${further.head.height}`,
    `grimoire_head_number{chain="7"} ${chain.head.height}`,
  ]);
  const checks = text.matchAll(/^grimoire_node_calls_total{chain="(\w+)",method="eth_getBalance",outcome="ok"} (\d+)$/gm);
  expect([...checks].map(([, id, count]) => [id, Number(count) > 0]).sort()).toEqual([
    ['5', true],
    ['7', true],
  ]);
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

/** Prometheus takes a lower value for a restart of the server, and counts all of it again. */
test('the counters of /metrics do not decrease when a worker ends', async () => {
  const { graph } = await startWorkers(2);
  const counted = async () => {
    const { text } = await scrapeMetrics(graph.url);
    const series = [
      /^grimoire_operations_total\{name="Counted".* (\d+)$/m,
      /^grimoire_operation_duration_seconds_count.* (\d+)$/m,
    ];
    return series.map((pattern) => Number(pattern.exec(text)?.[1]));
  };
  for (let total = 8; total <= 24; total += 8) {
    for (let i = 0; i < 8; i++) await execute(graph, 'query Counted { chainID }');
    expect(await counted()).toEqual([total, total]);
    const started = workerIds(graph).length;
    process.kill(workerIds(graph).at(-1)!, 'SIGKILL');
    await waitUntil(() => workerIds(graph).length > started, 'another worker has started');
    expect(await counted()).toEqual([total, total]);
  }
});

test('a source of subscriptions that fails has one duration in /metrics, not longer than its failure, and an endpoint that has ended is counted once', async () => {
  const { chain, node, graph } = await startWorkers(3);
  const socket = await RawSocket.connect(graph.url);
  socket.subscribe('1', 'subscription { logs { blockNumber } }');
  socket.subscribe('2', '{ chainID }');
  await socket.waitForMessage(({ id, type }) => id === '2' && type === 'complete');
  const start = performance.now();
  const error = { code: -32000, message: 'no logs' };
  node.intercept = (method) => (/^eth_get(?:Logs|BlockReceipts|TransactionReceipt)$/.test(method) ? { error } : undefined);
  chain.mine(1);
  const client = new KeepAliveClient(graph.url);
  await waitUntil(async () => (await client.metric('logs_failing_seconds')) > 2, 'the failure has a duration');
  expect((performance.now() - start) / 1_000).toBeGreaterThan(2);
  await node.stop();
  // Each worker opens its circuit breaker after five failures.
  await Promise.all(Array.from({ length: 24 }, () => execute(graph, '{ gasPrice }')));
  expect(await client.metric('node_endpoints_unavailable')).toBe(1);
});
