import { isHeight } from '../../ethereum/hex.ts';
import { type ErrorDetail, GraphError } from '../../lib/errors.ts';
import { ExpiringValue } from '../../lib/expiring-value.ts';
import type { RpcCall } from './rpc-call.ts';

/** The limits that a node's rejection of a log search states. */
export interface LogRangeHint {
  /** Whether the node limits the number of blocks of every search. If false, this search has too many results. */
  readonly limitsBlocks: boolean;
  /** Number of blocks that the node accepts. */
  readonly maxBlocks?: number;
  /** The search has more results than this. */
  readonly minResults?: number;
  /** Whether this server rejected the response, after it had received the maximum size of a response. */
  readonly isOversized?: true;
}

/** A rejected log search that the node may accept over fewer blocks. Clients receive it as RESULT_TOO_LARGE, without the hint. */
export class LogRangeError extends GraphError {
  readonly hint: LogRangeHint;

  constructor(hint: LogRangeHint, message: string, detail: ErrorDetail) {
    super('RESULT_TOO_LARGE', message, { ...detail, source: 'node' });
    this.hint = hint;
  }
}

/** Number of logs that are assumed to be in a response that is too large: its size limit divided by the size of long logs. */
const OVERSIZED_RESULTS = 10_000;

/** The error of a log search whose response exceeds the size limit of this server. */
export const oversizedSearchError = (): LogRangeError =>
  new LogRangeError(
    { limitsBlocks: false, minResults: OVERSIZED_RESULTS, isOversized: true },
    'The logs of the search exceed the size limit of a response. Request fewer blocks or a narrower filter.',
    { method: 'eth_getLogs' },
  );

/** A number such as `10000`, `10,000`, `2K` or `10k`. */
const NUMBER = '(\\d[\\d,._]*k?)\\b';

/** Texts that suggest a range for the rejected search. Source: Alchemy, Infura, zkSync (hex), Reth (decimal). */
const SUGGESTED_RANGES: readonly RegExp[] = [/\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i, /range (\d+) ?- ?(\d+)/i];

/** Texts about too many results, in contrast to too many blocks. */
const RESULT_LIMIT =
  /response size|response (?:is )?too large|\b(?:results|logs)\b.*(?:exceed|more than|limit)|(?:exceed\w*|more than|too many|max) (?:max )?[\d,]* ?(?:results|logs)|query (?:timeout|timed out|duration)/i;

/** Texts with a number of results. Source: Infura, Reth, Arbitrum, Alchemy. */
const RESULT_COUNTS = new RegExp(`(?:more than|max results|exceeds limit of|cap of|logs per response is) ${NUMBER}`, 'i');

/** Texts with a maximum number of blocks, by the services that are known to send them. The first match counts. */
const BLOCK_COUNTS: readonly RegExp[] = [
  // QuickNode, BlastAPI, BlockPI, 1RPC.
  new RegExp(`limited to (?:an? |0 ?- ?)?${NUMBER}[ -](?:blocks?|range)`, 'i'),
  // Alchemy, Aurora, Coinbase.
  new RegExp(`(?:up to|at most) (?:an? )?${NUMBER}[ -]blocks?`, 'i'),
  // publicnode, Reth, Tron, Cloudflare, Erigon and geth forks.
  new RegExp(`max(?:imum)?(?: allowed)?(?: blocks?)? ?range\\W{0,5}${NUMBER}`, 'i'),
  // Avalanche, thirdweb, Merkle, Moonbeam, Sei.
  new RegExp(`max(?:imum)?(?: allowed)?(?: number of requested blocks)?(?: is(?: set to)?)?:? ${NUMBER}`, 'i'),
  // The paid plans of BlastAPI.
  new RegExp(`\\d+ > ${NUMBER}\\)`, 'i'),
  // dRPC, Infura, Swell, Somnia, Tenderly.
  new RegExp(
    `(?:range|span)s?\\b[^.]{0,40}?(?:exceeds?|(?:bigg|great|larg)er than|over)(?: the)?(?: range)?(?: limit)?(?: of)?:? ?\\(?${NUMBER}`,
    'i',
  ),
  // Harmony, Ankr.
  new RegExp(`(?:smaller than size|blocks distance:) ${NUMBER}`, 'i'),
];

/** Returns the number that a pattern captures; undefined without a match. */
function capture(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1]?.replace(/[,_]/g, '').toLowerCase();
  if (digits === undefined) return undefined;
  return digits.endsWith('k') ? Math.floor(1_000 * Number(digits.slice(0, -1))) : Number(digits.replaceAll('.', ''));
}

/**
 * Returns the number of blocks of the range that a text suggests; undefined when it suggests no range, or an invalid
 * range.
 */
function suggestedBlocks(text: string): number | undefined {
  const ranges = SUGGESTED_RANGES.map((pattern) => pattern.exec(text) ?? []);
  const counts = ranges.map(([, from, to]) => Number(to) - Number(from) + 1);
  return counts.find((blocks) => Number.isSafeInteger(blocks) && blocks > 0);
}

/**
 * Parses a node's rejection of a log search. A range in the text has precedence over a number of blocks, which may
 * belong to another limit of the service: "up to a 2K block range and no limit on the response size, or any block range
 * with a cap of 10K logs".
 */
export function parseLogRangeHint(text: string): LogRangeHint {
  const limitsBlocks = !RESULT_LIMIT.test(text);
  const counted = BLOCK_COUNTS.map((pattern) => capture(pattern, text)).find((count) => count !== undefined && count > 0);
  const maxBlocks = suggestedBlocks(text) ?? counted;
  const minResults = limitsBlocks ? undefined : capture(RESULT_COUNTS, text);
  return { limitsBlocks, ...(maxBlocks !== undefined && { maxBlocks }), ...(minResults && { minResults }) };
}

/**
 * Time for which a limit that the node has stated applies; afterwards one wider search tests whether the limit has been
 * raised.
 */
const STATED_LIMIT_MS = 10 * 60_000;
/**
 * Time for which a limit from a rejection without a number applies. It is shorter, because the reason may be the filter
 * of the search.
 */
const GUESSED_LIMIT_MS = 60_000;

/** Tracks the limits of an endpoint for one log search, from its rejections. */
export class LogRangeLimit {
  readonly #maxBlocks = new ExpiringValue(Number.POSITIVE_INFINITY);
  readonly #maxResults = new ExpiringValue(Number.POSITIVE_INFINITY);

  /** Maximum number of blocks of the next search; Infinity while no limit is known. */
  get maxBlocks(): number {
    return this.#maxBlocks.current;
  }

  /** Maximum number of logs that a search finds; Infinity while no limit is known. */
  get maxResults(): number {
    return this.#maxResults.current;
  }

  /** Records the rejection of a search over `blocks` blocks. */
  recordRejection(blocks: number, hint: LogRangeHint): void {
    if (hint.minResults !== undefined) this.#maxResults.set(hint.minResults, STATED_LIMIT_MS);
    if (!hint.limitsBlocks || blocks <= 1) return;
    // A search that was sent before the last rejection must not raise the limit again.
    const maxBlocks = Math.min(this.maxBlocks, narrowerWidth(blocks, hint));
    this.#maxBlocks.set(maxBlocks, hint.maxBlocks === undefined ? GUESSED_LIMIT_MS : STATED_LIMIT_MS);
  }
}

/**
 * Returns the number of blocks that a hint states, if it is below the number of the rejected search; otherwise half of
 * the number of the rejected search.
 */
export const narrowerWidth = (blocks: number, { maxBlocks }: LogRangeHint): number =>
  maxBlocks !== undefined && maxBlocks < blocks ? maxBlocks : Math.max(1, Math.floor(blocks / 2));

/** Records the rejection of a log search. A search between tags has no known number of blocks. */
export function recordLogRangeRejection({ params }: RpcCall, { hint }: LogRangeError, limit: LogRangeLimit): void {
  const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
  const hasHeights = fromBlock !== undefined && toBlock !== undefined && isHeight(fromBlock) && isHeight(toBlock);
  const blocks = hasHeights ? Number(toBlock) - Number(fromBlock) + 1 : Number.POSITIVE_INFINITY;
  if (hasHeights || hint.maxBlocks !== undefined) limit.recordRejection(blocks, hint);
}
