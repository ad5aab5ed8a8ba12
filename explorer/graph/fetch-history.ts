import { graphql } from './documents.ts';
import { fetchGraph, type GraphResponse } from './fetch-graph.ts';

const HISTORY = graphql(`
  query History {
    service {
      blocks: availableRange(resource: BLOCKS) { first }
      receipts: availableRange(resource: RECEIPTS) { first }
      logs: availableRange(resource: LOGS) { first }
    }
  }
`);

type HistoryData = NonNullable<ReturnType<NonNullable<(typeof HISTORY)['__apiType']>>>;

/** Time for which a server caches the range of its node, in milliseconds. */
const RANGE_CACHED_MS = 60_000;
/** Number of blocks below the head in which the start of the history is not searched. */
const MIN_BLOCKS = 64;

/** Where searches start: the first block of which the node has all data, as far as the page knows. An estimate expires. */
let start = { block: 0, expiresAt: Number.POSITIVE_INFINITY };

async function readFirstBlock(signal: AbortSignal): Promise<number> {
  const { data } = await fetchGraph<HistoryData>(String(HISTORY), {}, signal);
  return Math.max(...Object.values(data?.service ?? { none: null }).map((range) => Number(range?.first ?? 0)));
}

/** Where to search after a search from `start` has failed; null if no later block is worth a request. */
async function nextStart(head: number | null, signal: AbortSignal): Promise<typeof start | null> {
  const { block } = start;
  const first = await readFirstBlock(signal);
  if (first > block) return { block: first, expiresAt: Number.POSITIVE_INFINITY };
  if (head === null || head - block < MIN_BLOCKS) return null;
  // The node has pruned blocks since the server has read its range.
  return { block: block + Math.ceil((head - block) / 4), expiresAt: Date.now() + RANGE_CACHED_MS };
}

/**
 * Executes an operation. One with a variable `$fromBlock` searches from the first block that the node has: a search that starts before it fails with
 * HISTORY_PRUNED.
 */
export async function fetchHistory<Data>(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<GraphResponse<Data>> {
  if (!text.includes('$fromBlock')) return fetchGraph(text, variables, signal);
  if (Date.now() > start.expiresAt) start = { block: await readFirstBlock(signal), expiresAt: Number.POSITIVE_INFINITY };
  // The block of a cursor may be pruned, which no start of the search changes.
  const hasCursor = Object.entries(variables).some(([name, value]) => /(before|after)$/i.test(name) && value != null);
  for (;;) {
    const response = await fetchGraph<Data>(text, { ...variables, fromBlock: start.block }, signal);
    if (!response.errors.some(({ extensions }) => extensions?.code === 'HISTORY_PRUNED')) return response;
    const next = hasCursor && start.block > 0 ? null : await nextStart(response.blockNumber, signal);
    if (next === null) return response;
    start = next;
  }
}
