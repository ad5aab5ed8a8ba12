import { readdirSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { CLIENT_HEADERS, NOTIFICATION_TOKEN } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { type DisconnectKind, type SimNode, startSimNode } from '../../support/simulator/node.ts';
import { duelFixture, startScriptedWizardService } from '../../support/upstream/scripted-wizard-service.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';
import { ACCOUNTS, serveTransfers, transferReceiptsOf } from '../../support/webhooks/transfer-chain.ts';

/**
 * Mixed load on the built program: small queries, full blocks, searches, lists of duels, subscriptions that come and go, reorgs, cut
 * connections, received and sent webhooks. After a warm-up, its memory does not grow; after the load, it has no more handles than before.
 */
const SEED = readSeed();
const WARM_UP_MS = runSize(5_000, 20 * 60_000);
const SOAK_MS = runSize(15_000, 100 * 60_000);
/** Time over which the heap is compared: after the warm-up, and at the end. */
const COMPARED_MS = runSize(5_000, 20 * 60_000);
const MAX_GROWTH = runSize(0.5, 0.05);

const draw = createRandomChoices(SEED);
const chain = new SimChain({ seed: SEED, blocks: 40, receiptsOf: transferReceiptsOf, maxOrphans: 100 });
let node: SimNode;
let graph: GraphProcess;
let receiver: TestReceiver;

beforeAll(async () => {
  node = await startSimNode({ chain, hasBlockReceipts: true });
  serveTransfers(node, chain);
  const service = await startScriptedWizardService();
  service.duels = Array.from({ length: 2_000 }, (_none, n) => duelFixture(n));
  receiver = await startReceiver((response) => (draw.chance(0.1) ? response.writeHead(500) : response).end());
  const postgres = await startTestPostgres();
  graph = await startGraph({
    ...service.settings,
    RPC_URL: node.url,
    RPC_WS_URL: node.wsUrl,
    DATABASE_URL: await postgres.createDatabase(),
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WEBHOOK_AUTH_TOKENS: `farm=${NOTIFICATION_TOKEN}`,
    API_KEYS: `farm=${CLIENT_HEADERS['x-api-key']}`,
    // A small cache is full before the warm-up ends, so it does not count as growth.
    CACHE_BYTES: String(8 * 1024 * 1024),
    LOG_LEVEL: 'error',
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers of results, and the errors that a client does not expect. */
const counts = { queries: 0, retryable: 0, subscriptions: 0, reorgs: 0, cuts: 0, received: 0 };
const failures: string[] = [];

async function query([text, variables]: Query): Promise<void> {
  const { errors } = await graph.execute(text, variables);
  counts.queries += 1;
  if (!errors) return;
  // A reorg may remove the block of a query while it is read.
  if (errors.every(({ extensions }) => extensions.retryable)) counts.retryable += 1;
  else failures.push(`${text}: ${JSON.stringify(errors)}`);
}

/** A text and its variables. There are few texts: else their cache would grow for an hour. */
type Query = readonly [text: string, variables?: Record<string, unknown>];

const QUERIES: readonly (() => Query)[] = [
  () => ['{ __typename }'],
  () => ['{ block { number gasUsed hash transactions { hash from { address } } } }'],
  () => [
    'query ($number: Long) { block(number: $number) { hash transactions { hash receipt { status logs { data } } } } }',
    { number: chain.head.height - draw.below(30) },
  ],
  () => ['query ($address: Address!) { account(address: $address) { balance } }', { address: draw.pick(ACCOUNTS) }],
  () => [
    'query ($last: Int) { blocks(last: $last) { hash transactions { hash inputData } receipts { logs { data } } } }',
    { last: 1 + draw.below(20) },
  ],
  () => [
    'query ($from: Long) { logs(filter: { fromBlock: $from }) { index data transaction { hash } } }',
    { from: chain.head.height - 20 - draw.below(20) },
  ],
  () => [
    'query ($from: Long) { duels(first: 50, filter: { startBlockFrom: $from }) { totalCount nodes { id } } }',
    { from: draw.below(50) },
  ],
];

async function subscribe(): Promise<void> {
  const socket = await RawSocket.connect(graph.url);
  socket.subscribe('a', `subscription { newHeads { number block { a${draw.below(7)}: hash transactions { hash } } } }`);
  socket.subscribe('b', 'subscription { logs { index data account { balance } } }');
  await pause(draw.below(10_000));
  counts.subscriptions += 1;
  if (draw.chance(0.5)) socket.ws.terminate();
  else socket.ws.close();
  await socket.closed;
}

async function notify(): Promise<void> {
  const { status } = await sendWebhook(graph.url, NOTIFICATION_TOKEN, randomBody('farm'));
  counts.received += 1;
  if (status !== 200) failures.push(`a notification got the status ${status}`);
}

function moveChain(): void {
  const depth = draw.chance(0.1) ? 1 + draw.below(6) : 0;
  counts.reorgs += Number(depth > 0);
  chain.reorg(depth, depth + 1);
}

function cut(): void {
  counts.cuts += 1;
  node.disconnect(draw.pick<DisconnectKind>(['reset', 'half a frame', 'close']));
}

/** Repeats a piece of work, with pauses of up to `maxMs`, until `end`. */
async function repeat(end: number, maxMs: number, work: () => unknown): Promise<void> {
  while (performance.now() < end) {
    await work();
    await pause(draw.below(maxMs));
  }
}

const openFiles = (): number => readdirSync(`/proc/${graph.process.pid}/fd`).length;
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await (await fetch(`${graph.url}/metrics`)).text())![1]);
const handles = (): Promise<number> => metric('nodejs_active_handles_total');
/** V8 collects garbage rarely: the least of several minutes is what is in use. */
const heapMiB = async (): Promise<number> => (await metric('nodejs_heap_size_used_bytes')) / 2 ** 20;

test(
  'memory and handles do not grow under mixed load',
  async () => {
    const register = `mutation { createWebhook(input: { type: ADDRESS_ACTIVITY, url: "${receiver.url}", addresses: ["${ACCOUNTS[0]}"] }) { webhook { id } } }`;
    expect((await graph.execute(register)).errors).toBeUndefined();
    for (const next of QUERIES) await query(next());
    await subscribe();
    const before = { files: openFiles(), handles: await handles() };

    const end = performance.now() + WARM_UP_MS + SOAK_MS;
    const memory: { readonly at: number; readonly mib: number }[] = [];
    await Promise.all([
      ...QUERIES.map((next) => repeat(end, 200, () => query(next()))),
      ...Array.from({ length: 5 }, () => repeat(end, 1_000, subscribe)),
      repeat(end, 2_000, moveChain),
      repeat(end, 10_000, cut),
      repeat(end, 2_000, notify),
      repeat(end, 1_000, async () => memory.push({ mib: await heapMiB(), at: performance.now() })),
    ]);
    const from = end - SOAK_MS;
    const between = (start: number) =>
      Math.min(...memory.filter(({ at }) => at >= start && at < start + COMPARED_MS).map(({ mib }) => mib));
    const [early, late] = [between(from), between(end - COMPARED_MS)];
    const delivered = receiver.received.length;
    process.stdout.write(
      `soak: ${JSON.stringify({ ...counts, delivered })}; heap in use ${early.toFixed(1)} MiB after the warm-up, ${late.toFixed(1)} MiB at the ` +
        `end; before ${JSON.stringify(before)} (SEED=${SEED})\n`,
    );
    expect(failures).toEqual([]);
    expect(counts.retryable).toBeLessThan(counts.queries / 100);
    expect(delivered).toBeGreaterThan(0);
    expect(late).toBeLessThan(early * (1 + MAX_GROWTH));
    // Idle connections to the upstreams close after a while.
    await waitUntil(async () => openFiles() <= before.files, `at most ${before.files} files are open`, 120_000);
    await waitUntil(async () => (await handles()) <= before.handles, `at most ${before.handles} handles are active`, 120_000);
  },
  WARM_UP_MS + SOAK_MS + 300_000,
);
