import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';
import { runSize } from '../../support/random-tests.ts';
import { scrapeMetrics } from '../../support/scrape.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** One server process over many chains, each with a node, which announces its heads, behind a proxy. The ids are 1, 2, 3 and so on. */
const CHAINS = runSize(4, 20);
const BLOCKS = runSize(5, 60);
const BLOCK_INTERVAL_MS = 500;
const MAX_CALLS_PER_BLOCK = 2;
const MAX_MEBIBYTES_PER_CHAIN = 25;

const MEMORY_REPORT = new URL('../../support/memory-to-stderr.mjs', import.meta.url).href;
const HEAD = 'fragment Head on ChainFields { chainID block { number hash } }';

async function startChain(id: number) {
  const chain = new SimChain({ seed: id, bloom: 'real', blocks: 200 + id });
  const node = await startSimNode({ chain, chainId: `0x${id.toString(16)}` });
  return { id, chain, node, proxy: await startProxy(node.url) };
}
type ServedChain = Awaited<ReturnType<typeof startChain>>;

const serve = ([first, ...others]: readonly ServedChain[]): Promise<GraphProcess> =>
  startGraph({
    RPC_URL: first!.proxy.url,
    RPC_WS_URL: first!.node.wsUrl,
    CHAINS: writeChainsFile(others.map(({ id, proxy, node }) => ({ id, rpcUrl: proxy.url, rpcWsUrl: node.wsUrl }))),
    NODE_OPTIONS: `--import ${MEMORY_REPORT}`,
    LOG_LEVEL: 'warn',
  });

const queryOf = (served: readonly ServedChain[]) =>
  `{ ${served.map(({ id }) => `c${id}: chain(id: ${id}) { ...Head }`).join(' ')} } ${HEAD}`;
const headOf = ({ id, chain: { head } }: ServedChain) => ({
  chainID: `0x${id.toString(16)}`,
  block: { number: head.header.number, hash: head.hash },
});

/** Mines on all chains at once, at the interval, and waits until the server knows the heads. Sends the server no operation. */
async function mineBlocks(graph: GraphProcess, served: readonly ServedChain[]): Promise<void> {
  for (let i = 0; i < BLOCKS; i++) {
    await setTimeout(BLOCK_INTERVAL_MS);
    for (const { chain } of served) chain.mine();
  }
  await waitUntil(async () => {
    const { text } = await scrapeMetrics(graph.url);
    // The metrics of a server of one chain do not name it.
    const labelOf = (id: number): string => (served.length > 1 ? `{chain="${id}"}` : '');
    return served.every(({ id, chain }) => text.includes(`grimoire_head_number${labelOf(id)} ${chain.head.height}\n`));
  }, 'the server knows the heads');
}

/** The memory of the server process after a garbage collection, in MiB. */
async function memoryOf({ process: child, output }: GraphProcess): Promise<{ inUse: number; rss: number }> {
  const reports = () => [...output().matchAll(/{"bytesInUse":(\d+),"rss":(\d+)}/g)];
  const before = reports().length;
  child.kill('SIGUSR2');
  await waitUntil(() => reports().length > before, 'the server reports its memory');
  const [, inUse, rss] = reports()
    .at(-1)!
    .map((bytes) => Math.round((Number(bytes) / 2 ** 20) * 10) / 10);
  return { inUse: inUse!, rss: rss! };
}

let served: readonly ServedChain[];
let graph: GraphProcess;

beforeAll(async () => {
  served = await Promise.all(Array.from({ length: CHAINS }, (_none, i) => startChain(i + 1)));
  graph = await serve(served);
});

test(`one operation reads ${CHAINS} chains, each at its own block`, async () => {
  const { data, errors, extensions } = await graph.execute<string, Record<string, object>>(queryOf(served));
  expect(errors).toBeUndefined();
  expect(Object.values(data)).toEqual(served.map(headOf));
  const blocks = served.map(headOf).map(({ chainID, block }) => ({ chainId: chainID, ...block }));
  expect(extensions!.blocks).toMatchObject(blocks);
});

test(`an idle chain costs at most ${MAX_CALLS_PER_BLOCK} calls for each block`, async () => {
  const before = served.map(({ node }) => node.totalCalls());
  for (const { proxy } of served) proxy.takeCounts();
  await mineBlocks(graph, served);
  const perBlock = served.map(({ node }, i) => (node.totalCalls() - before[i]!) / BLOCKS);
  const posts = served.map(({ proxy }) => proxy.takeCounts().http);
  process.stdout.write(
    `${CHAINS} chains, ${BLOCKS} blocks: at most ${Math.max(...perBlock)} calls for each block, ${Math.max(...posts)} POSTs\n`,
  );
  expect(Math.max(...perBlock)).toBeLessThanOrEqual(MAX_CALLS_PER_BLOCK);
});

test(`an idle chain takes at most ${MAX_MEBIBYTES_PER_CHAIN} MiB of memory`, async () => {
  const alone = [await startChain(CHAINS + 1)];
  const single = await serve(alone);
  expect((await single.execute(queryOf(alone))).errors).toBeUndefined();
  await mineBlocks(single, alone);
  const [ofOne, ofAll] = [await memoryOf(single), await memoryOf(graph)];
  const perChain = { inUse: (ofAll.inUse - ofOne.inUse) / (CHAINS - 1), rss: (ofAll.rss - ofOne.rss) / (CHAINS - 1) };
  process.stdout.write(
    `MiB with 1 chain, with ${CHAINS}, and for each further chain: ${JSON.stringify([ofOne, ofAll, perChain])}\n`,
  );
  expect(perChain.inUse).toBeLessThan(MAX_MEBIBYTES_PER_CHAIN);
  expect(perChain.rss).toBeLessThan(MAX_MEBIBYTES_PER_CHAIN);
});

test('a chain whose node has stopped has a null block, and the server stays ready', async () => {
  const [down] = served.slice(-1) as [ServedChain];
  await Promise.all([down.proxy.stop(), down.node.stop()]);
  await waitUntil(async () => {
    const response = await fetch(`${graph.url}/readyz`);
    expect(response.status).toBe(200);
    const { degraded } = (await response.json()) as { degraded?: object[] };
    return degraded?.some((part) => 'chain' in part && Number(part.chain) === down.id) ?? false;
  }, '/readyz names the chain');
  const { data, errors } = await graph.execute<string, Record<string, object>>(queryOf(served));
  expect(Object.values(data)).toEqual([...served.slice(0, -1).map(headOf), { ...headOf(down), block: null }]);
  const ofChain = { path: [`c${down.id}`, 'block'], extensions: { code: expect.stringMatching(/^UPSTREAM_/) } };
  expect(errors).toMatchObject(errors!.map(() => ofChain));
});
