import { expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { balanceAt } from '../../support/simulator/rpc-simulator.ts';
import { startFeed } from '../../support/subscriptions/feed-setup.ts';

/**
 * Reads of a graph before three backends behind one address, each 0 to 20 blocks behind, of which any answers each request: no answer is from a
 * block older than the head that was known when it was asked for, and nothing is left out where a backend says nothing of what it lacks.
 */
const SEED = readSeed();
const READS = runSize(400, 100_000);
const CONCURRENCY = 64;
/** The backends and the graph share one event loop here, and the machine may be busy: that is no outage. */
const TIMEOUTS = { timeoutMs: 30_000 };
const DEADLINE_MS = 60_000;
/** Many a read waits for a backend that has its block. */
const TEST_TIMEOUT_MS = 60 * 60_000;
const MAX_LAG_BLOCKS = 20;
/** How far back a question reaches. */
const WINDOW = 30;

const ADDRESS = `0x${'1'.repeat(40)}`;
/** What a read may be refused with where no backend with the block was met in time. */
const TRANSIENT_CODES = ['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE'];

const hex = (n: number) => `0x${n.toString(16)}`;

/** A question about the chain from one height on, and its right answer as of a head. */
const READS_WITH_EXPECTATION: readonly [
  ask: (from: number) => string,
  right: (chain: SimChain, from: number, head: number) => object,
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
  `in ${READS} reads of three backends, each 0 to ${MAX_LAG_BLOCKS} blocks behind, no answer is old and nothing is left out (SEED=${SEED})`,
  async () => {
    const draw = random(SEED);
    const upTo = (n: number) => Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED, bloom: 'real' });
    chain.mine(2 * WINDOW);
    const { node, follower } = await startFeed(chain, {
      transports: 'http',
      backends: { count: 3, lag: MAX_LAG_BLOCKS, seed: SEED },
    });
    const plain = createInProcessGraph([node.url], { ...TIMEOUTS, follower });
    const keeping = createInProcessGraph([node.url], { ...TIMEOUTS, follower, cache: createRpcResultCache(2 ** 22, follower) });
    const counts = { answered: 0, refused: 0, heads: 0 };
    const wrong: unknown[] = [];
    let begun = 0;
    let newest = 0;

    const read = async () => {
      if (upTo(50) === 0) chain.mine();
      const graph = draw() < 0.5 ? plain : keeping;
      const [ask, rightAt] = READS_WITH_EXPECTATION[upTo(READS_WITH_EXPECTATION.length)]!;
      const promised = Math.max(newest, follower.head?.height ?? 0);
      const from = promised - upTo(WINDOW);
      const query = `{ block { number hash } ${ask(from)} }`;
      const { data, errors, extensions } = await graph.execute(query, { deadlineMs: DEADLINE_MS });
      const head = Number((extensions?.block as { number?: string } | undefined)?.number ?? Number.NaN);
      if (!(head >= promised)) {
        wrong.push({ query, promised, head, errors });
        return;
      }
      if (head > newest) counts.heads += 1;
      newest = Math.max(newest, head);
      const right = { block: { number: hex(head), hash: chain.main.at(head)!.hash }, ...rightAt(chain, from, head) };
      counts[errors ? 'refused' : 'answered'] += 1;
      for (const { extensions } of errors ?? [])
        if (!TRANSIENT_CODES.includes(extensions.code)) wrong.push({ query, extensions });
      if (errors && data === null) return;
      for (const [name, value] of Object.entries(right)) {
        const isMissing = errors !== undefined && data[name] === null;
        if (!isMissing && JSON.stringify(data[name]) !== JSON.stringify(value))
          wrong.push({ query, head, got: data[name], value });
      }
    };

    const worker = async () => {
      while (begun < READS && wrong.length < 5) {
        begun += 1;
        await read();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const { reorgs, gaps } = follower.status;
    process.stdout.write(
      `lagging: ${counts.answered} answered, ${counts.refused} refused, ${counts.heads} heads of ${chain.head.height - 2 * WINDOW} new blocks, ${node.totalCalls()} calls\n`,
    );
    await Promise.all([plain.close(), keeping.close()]);
    expect(wrong.map((one) => JSON.stringify(one))).toEqual([]);
    expect({ reorgs, gaps }).toEqual({ reorgs: 0, gaps: 0 });
    expect(counts.refused).toBeLessThan(runSize(READS / 2, READS / 10));
    expect(newest).toBeGreaterThanOrEqual(chain.head.height - MAX_LAG_BLOCKS);
  },
  TEST_TIMEOUT_MS,
);
