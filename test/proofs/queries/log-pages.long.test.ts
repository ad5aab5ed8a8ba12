import { beforeAll, describe, expect, test } from '@jest/globals';
import type { PageInfo } from '../../../src/generated/chain.ts';
import { usedHeap } from '../../support/collect-garbage.ts';
import type { Present } from '../../support/graph/results.ts';
import { type StubbedGraph, startFollowedGraph } from '../../support/graph/stubbed-graph.ts';
import { createRandomChoices, type RandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { matchesWireFilter } from '../../support/simulator/rpc-simulator.ts';
import type { SimLog } from '../../support/simulator/view.ts';
import { RANGE_DIALECTS, type RangeDialect, randomLimits } from '../../support/upstream/log-range-dialects.ts';

/** All logs of a chain pass through pages, over nodes that limit searches in different ways. */
const seed = readSeed();
const LOGS = runSize(4_000, 100_000);
const MAX_LOGS_PER_BLOCK = 19;
const PAGE_SIZE = 500;
/** These tests check no timeout of the server, and a busy machine may stop for seconds. */
const TIMEOUT_MS = 60_000;
const REORGS = runSize(60, 1_000);

process.stdout.write(`Pages of logs: SEED=${seed}\n`);

let graph: StubbedGraph;

interface LoadedPage extends Present<PageInfo> {
  readonly nodes: { blockHash: string; blockNumber: string; index: string; cursor: string }[];
}

async function load(filter: string, args: string): Promise<LoadedPage | { readonly code: string }> {
  const query = `{
    page: logsConnection(filter: { fromBlock: 0 ${filter} }, ${args}) {
      nodes { blockHash blockNumber index cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const { data, errors } = await graph.execute(query, { deadlineMs: TIMEOUT_MS });
  if (errors) return { code: errors[0].extensions.code };
  return { nodes: data.page.nodes, ...data.page.pageInfo };
}

const idOf = ({ blockHash, logIndex }: Pick<SimLog, 'blockHash' | 'logIndex'>) => `${blockHash}${logIndex}`;
const idsOf = ({ nodes }: LoadedPage) => nodes.map(({ blockHash, index }) => idOf({ blockHash, logIndex: index }));

const logsOf = (chain: SimChain, filter: Parameters<typeof matchesWireFilter>[1] = {}): SimLog[] =>
  Array.from({ length: chain.head.height + 1 }, (_none, height) => chain.main.at(height)!.logs)
    .flat()
    .filter((log) => matchesWireFilter(log, filter));

const ADDRESS = `0x${'1'.padStart(40, '0')}`;
const TOPIC = `0x${'2'.padStart(64, '0')}`;

describe('over a node that limits searches', () => {
  const chain = new SimChain({ seed, maxLogsPerBlock: MAX_LOGS_PER_BLOCK });
  const expected = new Map<string, readonly string[]>();
  const FILTERS: readonly (readonly [graphql: string, rpc: object])[] = [
    ['', {}],
    [`, addresses: ["${ADDRESS}"]`, { address: ADDRESS }],
    [`, topics: [["${TOPIC}"]]`, { topics: [TOPIC] }],
  ];

  beforeAll(() => {
    chain.mine(Math.ceil((LOGS * 2) / MAX_LOGS_PER_BLOCK));
    for (const [filter, rpc] of FILTERS) expected.set(filter, logsOf(chain, rpc).map(idOf));
  });

  /** Applies a dialect to the node, and counts the logs of its responses. */
  function limitSearches(dialect: RangeDialect, draw: RandomChoices): { transferred: number; largest: number; calls: number } {
    const limits = randomLimits(draw, MAX_LOGS_PER_BLOCK);
    const counts = { transferred: 0, largest: 0, calls: 0 };
    graph.node.intercept = ({ method, params }) => {
      const filter = params[0] as any;
      if (method !== 'eth_getLogs' || filter.blockHash) return undefined;
      const [first, last] = [Number(filter.fromBlock), Number(filter.toBlock)];
      const found = Array.from({ length: last - first + 1 }, (_none, i) => chain.main.at(first + i)!.logs)
        .flat()
        .filter((log) => matchesWireFilter(log, filter));
      counts.calls += 1;
      const error = dialect({ first, last, found }, limits);
      if (error) return { error };
      counts.transferred += found.length;
      counts.largest = Math.max(counts.largest, found.length);
      return { result: found };
    };
    return counts;
  }

  test.each(Object.entries(RANGE_DIALECTS))(
    'pages forwards and backwards have each log once and in order, and no response is much larger than a page: %s',
    async (_name, dialect) => {
      const draw = createRandomChoices(seed);
      for (const [filter] of FILTERS) {
        for (const isBackward of [false, true]) {
          graph = await startFollowedGraph({ chain, timeoutMs: TIMEOUT_MS });
          const counts = limitSearches(dialect, draw);
          const found: string[][] = [];
          let cursor: string | null = null;
          for (let hasMore = true; hasMore; ) {
            const args = isBackward ? `last: ${PAGE_SIZE}, before` : `first: ${PAGE_SIZE}, after`;
            const page = (await load(filter, `${args}: ${JSON.stringify(cursor)}`)) as LoadedPage;
            expect(page).not.toHaveProperty('code');
            found.push(idsOf(page));
            hasMore = isBackward ? page.hasPreviousPage : page.hasNextPage;
            cursor = isBackward ? page.startCursor : page.endCursor;
          }
          const all = (isBackward ? found.reverse() : found).flat();
          expect(all.length).toBe(expected.get(filter)!.length);
          expect(all).toEqual(expected.get(filter));
          expect(counts.largest).toBeLessThan(3 * PAGE_SIZE);
          expect(counts.transferred).toBeLessThan(2 * all.length + 3 * PAGE_SIZE);
          await graph.stop();
        }
      }
      graph = await startFollowedGraph({ chain, timeoutMs: TIMEOUT_MS });
    },
  );
});

/** Bytes of a log in the response of a node. A parsed log takes at least this number of bytes. */
const LOG_BYTES = 500;

test('memory is bounded by a page, however many logs have passed through pages', async () => {
  const chain = new SimChain({ seed, maxLogsPerBlock: 100 });
  const count = runSize(20_000, 100_000);
  chain.mine(count / 50);
  graph = await startFollowedGraph({ chain, timeoutMs: TIMEOUT_MS });
  let [passed, before, growth] = [0, 0, 0];
  let after: string | null = null;
  for (let hasMore = true; hasMore; ) {
    const page = (await load('', `first: ${PAGE_SIZE}, after: ${JSON.stringify(after)}`)) as LoadedPage;
    passed += page.nodes.length;
    hasMore = page.hasNextPage;
    after = page.endCursor;
    graph.node.takeCounts();
    const heapUsed = usedHeap();
    // The first pages load code and fill caches of bounded size.
    if (passed <= count / 4) before = heapUsed;
    growth = Math.max(growth, heapUsed - before);
  }
  process.stdout.write(`${JSON.stringify({ passed, growthKiB: Math.round(growth / 1024) })}\n`);
  expect(passed).toBe(logsOf(chain).length);
  expect(growth).toBeLessThan((passed * LOG_BYTES) / 4);
});

describe('over a chain that is reorganised', () => {
  test('a cursor expires exactly if a reorg removes its block, and no log is missing or duplicate', async () => {
    const draw = createRandomChoices(seed + 1);
    const chain = new SimChain({ seed: seed + 1, maxLogsPerBlock: 3, blocks: 60 });
    // Reorgs reach below the blocks that the follower knows.
    graph = await startFollowedGraph({ chain, window: 12, timeoutMs: TIMEOUT_MS });
    let reorgs = 0;
    const reorganise = () => {
      const depth = 1 + draw.below(30);
      chain.reorg(depth, depth + draw.below(3));
      reorgs += 1;
    };
    const { node } = graph;
    node.intercept = ({ method }) => {
      if (method === 'eth_getLogs' && draw.chance(0.03)) reorganise();
      return undefined;
    };
    const isCanonical = ({ blockHash, blockNumber }: LoadedPage['nodes'][number]) =>
      chain.main.at(Number(blockNumber))?.hash === blockHash;
    const outcomes = { pages: 0, expired: 0, retried: 0 };
    while (reorgs < REORGS) {
      const isBackward = draw.chance(0.5);
      let found: LoadedPage['nodes'] = [];
      let hasMore = true;
      while (hasMore) {
        const last = isBackward ? found[0] : found.at(-1);
        const cursor = JSON.stringify(last?.cursor ?? null);
        const wasCanonical = !last || isCanonical(last);
        const before = reorgs;
        const size = 1 + draw.below(20);
        const page = await load('', isBackward ? `last: ${size}, before: ${cursor}` : `first: ${size}, after: ${cursor}`);
        if ('code' in page) {
          if (page.code === 'CURSOR_EXPIRED') {
            expect(wasCanonical && reorgs === before).toBe(false);
            outcomes.expired += 1;
            found = found.filter(isCanonical);
          } else {
            // The reorg happened during the page, or the chain has become shorter.
            expect(page.code).toBe('BLOCK_NOT_AVAILABLE');
            outcomes.retried += 1;
            if (last && Number(last.blockNumber) > chain.head.height) found = found.filter(isCanonical);
          }
          continue;
        }
        if (reorgs === before) expect(wasCanonical).toBe(true);
        outcomes.pages += 1;
        hasMore = isBackward ? page.hasPreviousPage : page.hasNextPage;
        found = isBackward ? [...page.nodes, ...found] : [...found, ...page.nodes];
        if (draw.chance(0.3)) reorganise();
        if (draw.chance(0.1)) chain.mine();
      }
      // Both walks have all logs from genesis to the last one, except logs that a reorg after the last page removed.
      const ids = found.filter(isCanonical).map(({ blockHash, index }) => idOf({ blockHash, logIndex: index }));
      const all = logsOf(chain).map(idOf);
      expect(ids).toEqual(all.slice(0, all.indexOf(ids.at(-1)!) + 1));
    }
    process.stdout.write(`${JSON.stringify({ reorgs, ...outcomes })}\n`);
    expect(outcomes.expired).toBeGreaterThan(0);
    expect(outcomes.retried).toBeGreaterThan(0);
  });
});
