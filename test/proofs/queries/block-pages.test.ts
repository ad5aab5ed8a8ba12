import { expect, test } from '@jest/globals';
import { type SimulatedGraph, startSimulatedGraph } from '../../support/graph/simulated-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import type { SimBlock } from '../../support/simulator/view.ts';

/** A client reads all pages of a growing chain while reorgs remove blocks, and starts again where its cursor has expired. */
const SEED = readSeed();
const PAGES = runSize(150, 2_000);

interface PagedList {
  readonly field: string;
  /** The hashes of the entries in a block. */
  readonly entriesOf: (block: SimBlock) => readonly string[];
}

/** What a client has read since it started at one end of the list. */
interface ReadList {
  readonly isBackward: boolean;
  readonly cursor: string | null;
  readonly hashes: readonly string[];
}

/** Adds blocks to the chain or replaces some. Resolves when the graph has the new head. */
async function changeChain({ chain, waitForHead }: SimulatedGraph, draw: () => number): Promise<void> {
  const depth = draw() < 0.7 ? 1 + Math.floor(draw() * 8) : 0;
  chain.reorg(depth, depth + 1 + Math.floor(draw() * 3));
  await waitForHead();
}

const queryOf = (field: string, { isBackward, cursor }: ReadList, size: number): string => {
  const position = cursor ? `, ${isBackward ? 'before' : 'after'}: "${cursor}"` : '';
  const fields = 'edges { node { hash } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  return `{ page: ${field}(${isBackward ? 'last' : 'first'}: ${size}${position}) { ${fields} } }`;
};

/** Asserts that a page continues what the client has read. */
function assertContiguous(
  { isBackward, hashes }: ReadList,
  page: readonly string[],
  all: readonly string[],
  isLast: boolean,
): void {
  if (!isBackward) {
    expect([...hashes, ...page]).toEqual(all.slice(0, hashes.length + page.length));
    return;
  }
  // A reorg above the cursor may have removed what was read before it.
  const isCanonical = hashes.length === 0 || all.includes(hashes[0]!);
  const end = hashes.length === 0 ? all.length : all.indexOf(hashes[0]!);
  const last = isCanonical ? end : all.indexOf(page.at(-1) ?? '') + 1;
  expect(page).toEqual(all.slice(Math.max(0, last - page.length), last));
  if (isLast && page.length > 0) expect(page[0]).toBe(all[0]);
}

test.each<PagedList>([
  { field: 'blocksConnection', entriesOf: ({ hash }) => [hash] },
  { field: 'transactionsConnection', entriesOf: ({ transactions }) => transactions },
])(`pages of $field across reorgs have no gap and no duplicate, or their cursor has expired, seed ${SEED}`, async (list) => {
  const simulated = await startSimulatedGraph({ seed: SEED, blockSeconds: 12, blocks: 40 });
  const { chain, graph } = simulated;
  const draw = random(SEED);
  const start = (): ReadList => ({ isBackward: draw() < 0.3, cursor: null, hashes: [] });
  const counts = { expired: 0, complete: 0 };
  let read = start();
  for (let i = 0; i < PAGES; i++) {
    if (draw() < 0.5) await changeChain(simulated, draw);
    const { data, errors } = await graph.execute(queryOf(list.field, read, 1 + Math.floor(draw() * 12)));
    if (errors) {
      const code = expect.stringMatching(/^(CURSOR_EXPIRED|BLOCK_NOT_AVAILABLE)$/);
      expect(errors).toMatchObject([{ path: ['page'], extensions: { code } }]);
      counts.expired += 1;
      read = start();
      continue;
    }
    const { edges, pageInfo } = data.page;
    const page: string[] = edges.map(({ node }: any) => node.hash);
    const all = Array.from({ length: chain.head.height + 1 }, (_, height) => list.entriesOf(chain.main.at(height)!)).flat();
    const isLast = !(read.isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage);
    assertContiguous(read, page, all, isLast);
    const hashes = read.isBackward ? [...page, ...read.hashes] : [...read.hashes, ...page];
    const cursor = read.isBackward ? pageInfo.startCursor : pageInfo.endCursor;
    if (isLast) counts.complete += 1;
    // A client that reads forwards follows the head for a while.
    read = isLast && (read.isBackward || draw() < 0.05) ? start() : { ...read, hashes, cursor: cursor ?? read.cursor };
  }
  expect(Math.min(counts.expired, counts.complete)).toBeGreaterThan(0);
});
