import { beforeAll, expect, test } from '@jest/globals';
import { HonestClients } from '../../support/clients/honest-clients.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSize } from '../../support/random-tests.ts';
import { type BusyUpstreams, startBusyUpstreams } from '../../support/upstream/busy-upstreams.ts';

/**
 * Mixed load on the built program: small queries, full blocks, searches, lists of duels, subscriptions that come and go, and refused
 * operations. After a warm-up, the memory of the server does not grow.
 */
const WARM_UP_MS = runSize(5_000, 5 * 60_000);
const SOAK_MS = runSize(15_000, 25 * 60_000);
const BLOCK_INTERVAL_MS = 1_000;
/** The peak of a few seconds depends on when garbage is collected; the peak of minutes does not. */
const MAX_GROWTH_MIB = runSize(200, 64);

let upstreams: BusyUpstreams;
let graph: GraphProcess;

beforeAll(async () => {
  upstreams = await startBusyUpstreams(2_000);
  graph = await startGraph(upstreams.settings);
});

const HEAVY: readonly ((i: number) => string)[] = [
  (i) => `{ blocks(from: ${1 + (i % 20)}, to: ${10 + (i % 20)}) { transactions { hash inputData } receipts { logs { data } } } }`,
  (i) => `{ logs(filter: { fromBlock: ${1 + (i % 10)}, toBlock: 20 }) { index data transaction { hash } } }`,
  (i) => `{ duels(first: 50, filter: { startBlockFrom: ${i % 50} }) { totalCount nodes { id } } }`,
  () => `{ logs(filter: { fromBlock: 1, toBlock: 20 }) { account { storage(slot: "0x${'0'.repeat(64)}") } } }`,
];

/** Repeats a piece of work, with a number that grows, until `end`. */
async function repeatUntil(end: number, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; performance.now() < end; i++) await work(i);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function subscribeOnce(i: number): Promise<void> {
  const socket = await RawSocket.connect(graph.url);
  socket.subscribe('a', `subscription { newHeads { number block { a${i % 7}: hash transactions { hash } } } }`);
  await pause(1_500);
  socket.ws.close();
  await socket.closed;
}

/** Runs the load for a time and returns the peak of the server's memory in MiB. */
async function load(ms: number): Promise<number> {
  const end = performance.now() + ms;
  const honest = new HonestClients(graph);
  await Promise.all([
    ...HEAVY.map((query) => repeatUntil(end, (i) => graph.execute(query(i)).then(() => pause(100)))),
    repeatUntil(end, subscribeOnce),
    repeatUntil(end, async () => {
      upstreams.node.head += 1;
      await pause(BLOCK_INTERVAL_MS);
    }),
  ]);
  const { failures, peakMiB } = await honest.stop();
  expect(failures).toEqual([]);
  return peakMiB;
}

test(
  'memory stays flat under mixed load',
  async () => {
    const warm = await load(WARM_UP_MS + SOAK_MS / 2);
    const later = await load(SOAK_MS / 2);
    process.stdout.write(`soak: peak ${warm.toFixed(0)} MiB in the first half, ${later.toFixed(0)} MiB in the second\n`);
    expect(later).toBeLessThan(warm + MAX_GROWTH_MIB);
  },
  WARM_UP_MS + SOAK_MS + 120_000,
);
