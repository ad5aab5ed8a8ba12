import type { RandomChoices } from '../random-choices.ts';
import type { SimLog } from '../simulator/view.ts';

/** A log search as a node receives it, with the logs that match. */
export interface ReceivedSearch {
  readonly first: number;
  readonly last: number;
  readonly found: readonly SimLog[];
}

/** Limits of a node. */
export interface RangeLimits {
  readonly maxBlocks: number;
  readonly maxResults: number;
}

type RejectedSearch = { readonly code: number; readonly message: string };

/** How a node limits log searches: returns the error of one that is too wide. */
export type RangeDialect = (search: ReceivedSearch, limits: RangeLimits) => RejectedSearch | undefined;

const blocksOf = ({ first, last }: ReceivedSearch): number => last - first + 1;

/** The last height up to which a search has no more results than allowed. */
const lastAccepted = ({ first, found }: ReceivedSearch, { maxResults }: RangeLimits): number =>
  Math.max(first, Number(found[maxResults]!.blockNumber) - 1);

const hex = (n: number): string => `0x${n.toString(16)}`;

/** Dialects of services and clients, by name. */
export const RANGE_DIALECTS: Readonly<Record<string, RangeDialect>> = {
  'results, with a range in hex (Alchemy)': (search, limits) =>
    search.found.length > limits.maxResults
      ? {
          code: -32602,
          message: `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of ${limits.maxResults} logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(search.first)}, ${hex(lastAccepted(search, limits))}]`,
        }
      : undefined,
  'results, with a range and a count (Infura)': (search, limits) =>
    search.found.length > limits.maxResults
      ? {
          code: -32005,
          message: `query returned more than ${limits.maxResults} results. Try with this block range [${hex(search.first)}, ${hex(lastAccepted(search, limits))}].`,
        }
      : undefined,
  'blocks, with a number (QuickNode)': (search, { maxBlocks }) =>
    blocksOf(search) > maxBlocks
      ? { code: -32614, message: `eth_getLogs is limited to a ${maxBlocks.toLocaleString('en')} range` }
      : undefined,
  'blocks, without a number (Besu)': (search, { maxBlocks }) =>
    blocksOf(search) > maxBlocks ? { code: -32005, message: 'Requested range exceeds maximum RPC range limit' } : undefined,
  'blocks and results, with the rejected range as the hint (Reth)': (search, { maxBlocks, maxResults }) => {
    if (blocksOf(search) > maxBlocks) return { code: -32602, message: `query exceeds max block range ${maxBlocks}` };
    return search.found.length > maxResults
      ? { code: -32602, message: `query exceeds max results ${maxResults}, retry with the range ${search.first}-${search.last}` }
      : undefined;
  },
  'blocks and results, without a hint (Arbitrum, Ankr)': (search, { maxBlocks, maxResults }) => {
    if (blocksOf(search) > maxBlocks) return { code: -32600, message: 'block range is too wide' };
    return search.found.length > maxResults
      ? { code: -32000, message: `logs matched by query exceeds limit of ${maxResults}` }
      : undefined;
  },
};

/** Random limits under which each block of a chain can be read. */
export const randomLimits = (draw: RandomChoices, maxLogsPerBlock: number): RangeLimits => ({
  maxBlocks: draw.pick([5, 10, 100, 1_000, 2_000]) + draw.below(7),
  maxResults: maxLogsPerBlock + draw.pick([1, 10, 100, 1_000]) + draw.below(50),
});
