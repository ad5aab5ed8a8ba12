import { expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { balanceAt } from '../../support/simulator/rpc-simulator.ts';
import { startFeed } from '../../support/subscriptions/feed-setup.ts';

/**
 * Queries a graph in front of three backends behind one address that lag 0 to 20 blocks; each request reaches a random one. No
 * response is from a block older than the head known at the request, and none omits data that a backend lacks.
 */
const SEED = readSeed();
const READS = runSize(200, 100_000);
const CONCURRENCY = 64;
/** The backends and the graph share one event loop, so a slow response is not an outage. */
const TIMEOUTS = { timeoutMs: 30_000 };
const DEADLINE_MS = 60_000;
/** Many reads wait for a backend that has their block. */
const TEST_TIMEOUT_MS = 60 * 60_000;
const MAX_LAG_BLOCKS = 20;
/** Maximum distance of a query from the head, in blocks. */
const WINDOW = 30;

const ADDRESS = `0x${'1'.repeat(40)}`;
/** Errors of a read that reached no backend with its block in time. */
const TRANSIENT_CODES = ['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE'];

const hex = (n: number) => `0x${n.toString(16)}`;

/** A selection that starts at a height, and its expected result at a head. */
const READS_WITH_EXPECTATION: readonly [
  selection: (from: number) => string,
  expected: (chain: SimChain, from: number, head: number) => object,
][] = [
  [
    () => `account(address: "${ADDRESS}") { balance }`,
    (chain, _from, head) => ({ account: { balance: balanceAt(chain.main.at(head)!) } }),
  ],
  [
    (from) => `blocks(from: ${from}) { number hash transactionCount }`,
    (chain, from, head) => ({
      blocks: blocksBetween(chain, from, head).map(({ height, hash, transactions }) => ({
        number: hex(height),
        hash,
        transactionCount: hex(transactions.length),
      })),
    }),
  ],
  [
    (from) => `logs(filter: { fromBlock: ${from} }) { blockHash index data }`,
    (chain, from, head) => ({ logs: blocksBetween(chain, from, head).flatMap(({ logs }) => logs.map(logFields)) }),
  ],
  [
    () => 'logs(filter: {}) { blockHash index data }',
    (chain, _from, head) => ({ logs: chain.main.at(head)!.logs.map(logFields) }),
  ],
  [
    (from) => `old: block(number: ${from}) { hash logs(filter: {}) { blockHash index data } }`,
    (chain, from) => ({ old: { hash: chain.main.at(from)!.hash, logs: chain.main.at(from)!.logs.map(logFields) } }),
  ],
];

const blocksBetween = ({ main }: SimChain, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_none, i) => main.at(from + i)!);

const logFields = ({ blockHash, logIndex, data }: { blockHash: string; logIndex: string; data: string }) => ({
  blockHash,
  index: logIndex,
  data,
});

test(
  `graph returns current and complete results in ${READS} reads of three backends that lag 0 to ${MAX_LAG_BLOCKS} blocks (SEED=${SEED})`,
  async () => {
    const draw = random(SEED);
    const upTo = (n: number) => Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED, bloom: 'real' });
    chain.mine(2 * WINDOW);
    const { node, follower } = await startFeed(chain, {
      transports: 'http',
      backends: { count: 3, lag: MAX_LAG_BLOCKS, seed: SEED },
    });
    const withoutCache = createInProcessGraph([node.url], { ...TIMEOUTS, follower });
    const withCache = createInProcessGraph([node.url], { ...TIMEOUTS, follower, cache: createRpcResultCache(2 ** 22, follower) });
    const counts = { succeeded: 0, failed: 0, heads: 0 };
    const mismatches: unknown[] = [];
    let startedReads = 0;
    let newest = 0;

    const read = async () => {
      if (upTo(50) === 0) chain.mine();
      const graph = draw() < 0.5 ? withoutCache : withCache;
      const [selection, expectedAt] = READS_WITH_EXPECTATION[upTo(READS_WITH_EXPECTATION.length)]!;
      const minimumHeight = Math.max(newest, follower.head?.height ?? 0);
      const from = minimumHeight - upTo(WINDOW);
      const query = `{ block { number hash } ${selection(from)} }`;
      const { data, errors, extensions } = await graph.execute(query, { deadlineMs: DEADLINE_MS });
      const head = Number((extensions?.block as { number?: string } | undefined)?.number ?? Number.NaN);
      if (!(head >= minimumHeight)) {
        mismatches.push({ query, minimumHeight, head, errors });
        return;
      }
      if (head > newest) counts.heads += 1;
      newest = Math.max(newest, head);
      const expected = { block: { number: hex(head), hash: chain.main.at(head)!.hash }, ...expectedAt(chain, from, head) };
      counts[errors ? 'failed' : 'succeeded'] += 1;
      for (const { extensions } of errors ?? [])
        if (!TRANSIENT_CODES.includes(extensions.code)) mismatches.push({ query, extensions });
      if (errors && data === null) return;
      for (const [name, value] of Object.entries(expected)) {
        const isMissing = errors !== undefined && data[name] === null;
        if (!isMissing && JSON.stringify(data[name]) !== JSON.stringify(value))
          mismatches.push({ query, head, got: data[name], value });
      }
    };

    const worker = async () => {
      while (startedReads < READS && mismatches.length < 5) {
        startedReads += 1;
        await read();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const { reorgs, gaps } = follower.status;
    process.stdout.write(
      `lagging: ${counts.succeeded} succeeded, ${counts.failed} failed, ${counts.heads} heads of ${chain.head.height - 2 * WINDOW} new blocks, ${node.totalCalls()} calls\n`,
    );
    await Promise.all([withoutCache.close(), withCache.close()]);
    expect(mismatches.map((mismatch) => JSON.stringify(mismatch))).toEqual([]);
    expect({ reorgs, gaps }).toEqual({ reorgs: 0, gaps: 0 });
    expect(counts.failed).toBeLessThan(runSize(READS / 2, READS / 10));
    expect(newest).toBeGreaterThanOrEqual(chain.head.height - MAX_LAG_BLOCKS);
  },
  TEST_TIMEOUT_MS,
);
