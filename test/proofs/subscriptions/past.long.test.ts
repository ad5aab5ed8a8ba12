import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { scrapeMetrics } from '../../support/scrape.ts';
import { SimChain, type SimChainOptions } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import type { Backfill, BackfillCommand, BackfillStatus } from '../../support/subscriptions/past-load/backfill-clients.ts';
import type { Latencies, LiveCommand, LiveReceived } from '../../support/subscriptions/past-load/live-clients.ts';
import { startLoadProcess } from '../../support/subscriptions/past-load/processes.ts';
import { sharedClock } from '../../support/subscriptions/past-load/socket.ts';
import { HeadReplayChecker, LogReplayChecker } from '../../support/subscriptions/replay-checker.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Subscribers that begin in the past, beside live subscribers. The server, the node, and each kind of clients have their own process. */
const SEED = readSeed();
const BLOCKS = runSize(3_000, 100_000);
const BACKFILLS = runSize(20, 500);
const LIVE_SUBSCRIPTIONS = runSize(300, 10_000);
/** Milliseconds between two blocks. */
const BLOCK_INTERVAL_MS = runSize(50, 500);
/** Number of blocks that are mined before the backfills start. */
const BLOCKS_WITHOUT_BACKFILLS = runSize(40, 120);

const draw = random(SEED);
const upTo = (n: number) => 1 + Math.floor(draw() * n);

const LOG = 'removed index blockHash blockNumber data topics transactionHash account { address }';

/** The subscriptions of each live socket. */
const operationsOf = (filter: LogFilter) => ({
  h: { query: 'subscription { newHeads { number hash parentHash } }' },
  H: { query: 'subscription { newHeads { hash number parentHash logsBloom } }' },
  l: { query: `subscription { logs { ${LOG} } }` },
  L: { query: `subscription { logs { cursor ${LOG} } }` },
  f: { query: `subscription ($filter: LogSubscriptionFilter) { logs(filter: $filter) { ${LOG} } }`, variables: { filter } },
});

/** Most backfills have a filter, a tenth of them each of the other forms. */
function drawBackfill(index: number, [common, rare]: readonly [LogFilter, LogFilter]): Backfill {
  const fromBlock = draw() < 0.3 ? 0 : Math.floor(draw() * BLOCKS);
  if (index % 10 === 0) return { field: 'logs', fromBlock, filter: {} };
  if (index % 10 === 1) return { field: 'logPages', fromBlock, filter: {} };
  if (index % 10 === 2) return { field: 'newHeads', fromBlock, filter: {} };
  return { field: index % 2 === 0 ? 'logPages' : 'logs', fromBlock, filter: index % 10 === 3 ? common : rare };
}

/** A share of the logs, and an address with one of its topics. */
function filtersOf(chain: SimChain): [common: LogFilter, rare: LogFilter] {
  const { address, topics } = Array.from({ length: 100 }, (_none, height) => chain.main.at(height)!.logs).flat()[0]!;
  return [{ addresses: [address] }, { addresses: [address], topics: [[topics[0]!], [topics[1]!]] }];
}

const mebibytesOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

test(`${BACKFILLS} backfills over ${BLOCKS} blocks beside ${LIVE_SUBSCRIPTIONS} live subscriptions deliver each event once`, async () => {
  const chainOptions: SimChainOptions = { seed: SEED, maxLogsPerBlock: 1, bloom: 'real', blocks: BLOCKS };
  const live = startLoadProcess<LiveCommand>('live-clients');
  const past = startLoadProcess<BackfillCommand>('backfill-clients');
  const copied = past.request({ chain: chainOptions });
  const chain = new SimChain(chainOptions);
  await copied;
  const node = await startSimNode({ chain });
  const graph = await startGraph({
    RPC_URL: node.url,
    RPC_WS_URL: node.wsUrl,
    NODE_METHODS: 'plain',
    LOG_LEVEL: 'warn',
    MAX_CONNECTIONS: '20000',
  });
  const serverMemory = () => mebibytesOf(graph.process.pid!);

  const mine = async () => {
    const depth = draw() < 0.25 ? upTo(8) : 0;
    const length = depth + upTo(2);
    await past.request({ reorg: [depth, length] });
    const at = sharedClock();
    const { added } = chain.reorg(depth, length);
    for (const { hash } of added) live.send({ mined: { hash, at } });
    await setTimeout(BLOCK_INTERVAL_MS);
  };
  const pastStatus = () => past.request<BackfillStatus>({ status: true });

  const [common, rare] = filtersOf(chain);
  const operations = operationsOf(common);
  const sockets = LIVE_SUBSCRIPTIONS / Object.keys(operations).length;
  await live.request({ open: { url: graph.url, sockets, operations } });
  const subscriptionCount = async () =>
    Number(/^grimoire_subscriptions (\d+)$/m.exec((await scrapeMetrics(graph.url)).text)?.[1]);
  await waitUntil(async () => (await subscriptionCount()) === LIVE_SUBSCRIPTIONS, 'all live subscriptions have started');
  const heads = { h: new HeadReplayChecker(chain), H: new HeadReplayChecker(chain) };
  const logs = {
    l: new LogReplayChecker(chain, {}),
    L: new LogReplayChecker(chain, {}),
    f: new LogReplayChecker(chain, common),
  };

  for (let i = 0; i < 5; i++) await mine();
  await setTimeout(1_000);
  await live.request<Latencies>({ latencies: true });
  for (let i = 0; i < BLOCKS_WITHOUT_BACKFILLS; i++) await mine();
  const memoryBefore = serverMemory();
  const before = await live.request<Latencies>({ latencies: true });

  const startedAt = performance.now();
  const backfills = Array.from({ length: BACKFILLS }, (_none, i) => drawBackfill(i, [common, rare]));
  await past.request({ open: { url: graph.url, backfills } });
  let memory = 0;
  for (let isPast = true; isPast; ) {
    await mine();
    memory = Math.max(memory, serverMemory());
    const { caughtUp, errors } = await pastStatus();
    expect(errors).toEqual([]);
    isPast = caughtUp < BACKFILLS;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const beside = await live.request<Latencies>({ latencies: true });

  for (let i = 0; i < 20; i++) await mine();
  await waitUntil(async () => {
    const { complete, errors } = await pastStatus();
    expect(errors).toEqual([]);
    return complete === BACKFILLS;
  }, 'all backfills have the events of the chain');
  await waitUntil(async () => {
    const { payloads, errors } = await live.request<LiveReceived>({ received: true });
    return errors.length === 0 && payloads.h?.at(-1)?.data.newHeads.hash === chain.head.hash;
  }, 'all live subscribers have the events of the chain').catch(() => {});
  const { payloads, errors } = await live.request<LiveReceived>({ received: true });
  expect(errors.slice(0, 10)).toEqual([]);
  for (const [id, checker] of Object.entries(heads)) {
    for (const { data } of payloads[id]!) checker.apply(data.newHeads);
    expect(checker.differences()).toEqual([]);
  }
  for (const [id, checker] of Object.entries(logs)) {
    for (const { data } of payloads[id]!) checker.apply(data.logs);
    expect(checker.differences()).toEqual([]);
  }
  expect(await subscriptionCount()).toBe(LIVE_SUBSCRIPTIONS + BACKFILLS);

  const { events, removed } = await pastStatus();
  const ratio = beside.p99 / before.p99;
  const show = (of: 'median' | 'p99') => `${of} ${before[of].toFixed(1)} ms without, ${beside[of].toFixed(1)} ms with`;
  process.stdout.write(
    `past: ${BACKFILLS} backfills over ${BLOCKS} blocks in ${seconds.toFixed(1)} s (${events} events, ${removed} removed) beside ` +
      `${LIVE_SUBSCRIPTIONS} live subscriptions (${before.count} and ${beside.count} arrivals): ${show('median')}; ${show('p99')}, ` +
      `ratio ${ratio.toFixed(2)}; server ${memoryBefore.toFixed(0)} MiB without, at most ${memory.toFixed(0)} MiB with (SEED=${SEED})\n`,
  );
});
