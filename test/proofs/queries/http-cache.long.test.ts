import { expect, test } from '@jest/globals';
import { type CachedResponse, HttpCache } from '../../support/clients/http-cache.ts';
import { FINALITY_DEPTH, GET_HEADERS, type SimulatedGraph, startSimulatedGraph } from '../../support/graph/simulated-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/** Responses from a shared HTTP cache that obeys the server's headers, across reorgs. The clock of the cache and the chain is simulated. */
const SEED = readSeed();
const REORGS = runSize(40, 1_000);
const BLOCK_SECONDS = 12;
const MAX_REORG_DEPTH = 8;
const READS_PER_CHANGE = 6;
const RECENT_READS = 12;
const ADDRESSES = [1, 2].map((n) => `0x${n.toString(16).padStart(40, '0')}`);

interface Read {
  readonly query: string;
  readonly headers: Record<string, string>;
  /** A block that the request names by hash: the response is right even if that block is abandoned. */
  readonly hash?: string;
}

/** Draws a read of the head, of recent blocks or of final ones. Heights are relative to a fixed block, so that requests are repeated. */
function drawRead({ chain }: SimulatedGraph, draw: () => number): Read {
  const below = (n: number) => Math.floor(draw() * n);
  const height = Math.max(1, chain.head.height - below(3 * FINALITY_DEPTH));
  const { hash } = chain.main.at(height)!;
  const reads: Omit<Read, 'headers'>[] = [
    { query: '{ block { hash number } }' },
    { query: '{ block { size parent { hash } } }' },
    { query: `{ account(address: "${ADDRESSES[below(2)]}") { balance } }` },
    { query: `{ block(number: ${height}) { hash parentHash size } }` },
    { query: `{ block(number: ${height}) { hash account(address: "${ADDRESSES[below(2)]}") { balance } } }` },
    { query: `{ block(number: ${height}) { hash confirmations } }` },
    { query: `{ block(hash: "${hash}") { hash size } }`, hash },
    { query: `{ blocks(from: ${height}, to: ${height + below(4)}) { hash } }` },
    { query: `{ logs(filter: { fromBlock: ${height}, toBlock: ${height + below(9)} }) { block { hash } } }` },
    {
      query: `{ blocksConnection(from: ${height}, first: ${1 + below(4)}) { nodes { hash } pageInfo { hasNextPage endCursor } } }`,
    },
    { query: `{ blocksConnection(last: ${1 + below(4)}) { edges { node { hash size } } } }` },
    { query: `{ transactionsConnection(from: ${height}, first: ${1 + below(4)}) { nodes { block { hash } } } }` },
    { query: `{ block(timestamp: ${Number(chain.main.at(height)!.header.timestamp)}) { hash size } }` },
    { query: '{ block(tag: SAFE) { hash } }' },
    { query: '{ block(tag: FINALIZED) { hash } }' },
  ];
  const read = reads[below(reads.length)]!;
  const pin: Record<string, string> = draw() < 0.2 ? { 'x-graph-block': String(height) } : {};
  return { ...read, headers: { ...GET_HEADERS, ...pin } };
}

interface CacheRun {
  readonly counts: Record<CachedResponse['source'] | 'immutable' | 'reorgs', number>;
  /** Responses from the cache that name a block that a reorg removed at least one block time before. */
  readonly stale: unknown[];
  /** Immutable responses that name a block that a later reorg removed. */
  readonly wrong: unknown[];
}

/** Reads through a cache while the chain grows and is reorganised, above the final block. */
async function readAcrossReorgs(reorgs: number, cache: HttpCache): Promise<CacheRun> {
  const simulated = await startSimulatedGraph({ seed: SEED, blockSeconds: BLOCK_SECONDS, blocks: 60 });
  const { chain, urlOf } = simulated;
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const abandonedAt = new Map<string, number>();
  const immutable = new Map<string, string>();
  const counts = { fresh: 0, confirmed: 0, server: 0, immutable: 0, reorgs: 0 };
  const stale: unknown[] = [];
  const wrong: unknown[] = [];
  const recentReads: Read[] = [];
  let highest = chain.head.height;

  const change = async (): Promise<void> => {
    const highestFinal = highest - FINALITY_DEPTH;
    const isReorg = draw() < 0.5;
    const depth = isReorg ? Math.min(upTo(MAX_REORG_DEPTH), chain.head.height - highestFinal) : 0;
    const { removed, added } = chain.reorg(depth, depth + upTo(2));
    cache.now += 1_000 * BLOCK_SECONDS;
    for (const { hash } of added) abandonedAt.delete(hash);
    for (const { hash } of removed) {
      abandonedAt.set(hash, cache.now);
      if (immutable.has(hash)) wrong.push({ hash, query: immutable.get(hash) });
    }
    highest = Math.max(highest, chain.head.height);
    counts.reorgs += isReorg ? 1 : 0;
    await simulated.waitForHead();
  };

  const read = async ({ query, headers, hash: requested }: Read): Promise<void> => {
    const { body, cacheControl, source } = await cache.get(urlOf(query), headers);
    counts[source] += 1;
    const isImmutable = cacheControl.includes('immutable');
    counts.immutable += isImmutable ? 1 : 0;
    for (const [hash] of body.matchAll(/0x[0-9a-f]{64}/g)) {
      if (hash === requested) continue;
      if (isImmutable) immutable.set(hash, query);
      const abandonedMs = cache.now - (abandonedAt.get(hash) ?? Number.POSITIVE_INFINITY);
      if (abandonedMs >= 1_000 * BLOCK_SECONDS) stale.push({ query, headers, source, cacheControl, hash, abandonedMs });
    }
  };

  while (counts.reorgs < reorgs) {
    await change();
    for (let i = 0; i < READS_PER_CHANGE; i++) {
      cache.now += draw() * 4_000;
      // Repeated reads find their responses in the cache, fresh or not.
      const repeated = draw() < 0.5 ? recentReads[Math.floor(draw() * recentReads.length)] : undefined;
      const next = repeated ?? drawRead(simulated, draw);
      recentReads.unshift(next);
      recentReads.splice(RECENT_READS);
      await read(next);
    }
  }
  await simulated.graph.stop();
  await simulated.node.stop();
  return { counts, stale, wrong };
}

test(`in ${REORGS} reorgs a cache serves no abandoned block after its age, and no immutable response names a removed block`, async () => {
  const { counts, stale, wrong } = await readAcrossReorgs(REORGS, new HttpCache());
  process.stdout.write(`http cache: ${JSON.stringify(counts)}\n`);
  expect(stale).toEqual([]);
  expect(wrong).toEqual([]);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
