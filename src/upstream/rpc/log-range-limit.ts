import { isHeight } from '../../ethereum/hex.ts';
import { LogRangeError, type LogRangeHint } from './log-range-error.ts';
import type { RpcCall, RpcOutcome } from './rpc-call.ts';

/** How long a limit that the node has stated applies: then one wider search finds out whether it has been raised. */
const STATED_LIMIT_MS = 10 * 60_000;
/** The same for a rejection without a number, whose reason may be the filter of the search instead. */
const GUESSED_LIMIT_MS = 60_000;

/** Tracks the limits of an endpoint for one log search, from its rejections. */
export class LogRangeLimit {
  #maxBlocks = Number.POSITIVE_INFINITY;
  #validUntil = 0;
  #maxResults = Number.POSITIVE_INFINITY;
  #maxResultsUntil = 0;

  /** Maximum number of blocks of the next search; Infinity while no limit is known. */
  get maxBlocks(): number {
    return performance.now() < this.#validUntil ? this.#maxBlocks : Number.POSITIVE_INFINITY;
  }

  /** Maximum number of logs that a search finds; Infinity while no limit is known. */
  get maxResults(): number {
    return performance.now() < this.#maxResultsUntil ? this.#maxResults : Number.POSITIVE_INFINITY;
  }

  /** Records the rejection of a search over `blocks` blocks. */
  recordRejection(blocks: number, hint: LogRangeHint): void {
    if (hint.minResults !== undefined) {
      this.#maxResults = hint.minResults;
      this.#maxResultsUntil = performance.now() + STATED_LIMIT_MS;
    }
    if (!hint.limitsBlocks || blocks <= 1) return;
    // A search that was sent before the last rejection must not raise the limit again.
    this.#maxBlocks = Math.min(this.maxBlocks, narrowerWidth(blocks, hint));
    this.#validUntil = performance.now() + (hint.maxBlocks === undefined ? GUESSED_LIMIT_MS : STATED_LIMIT_MS);
  }
}

/** Returns the number of blocks that a hint states, if it is below that of the rejected search, else half of that. */
export const narrowerWidth = (blocks: number, { maxBlocks }: LogRangeHint): number =>
  maxBlocks !== undefined && maxBlocks < blocks ? maxBlocks : Math.max(1, Math.floor(blocks / 2));

/** Records the rejected log searches among the outcomes of calls. A search between tags has no known number of blocks. */
export function recordLogRangeRejections(calls: readonly RpcCall[], outcomes: readonly RpcOutcome[], limit: LogRangeLimit): void {
  for (let i = 0; i < calls.length; i++) {
    const outcome = outcomes[i]!;
    if (!('error' in outcome) || !(outcome.error instanceof LogRangeError)) continue;
    const { fromBlock, toBlock } = calls[i]!.params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
    const hasHeights = fromBlock !== undefined && toBlock !== undefined && isHeight(fromBlock) && isHeight(toBlock);
    const blocks = hasHeights ? Number(toBlock) - Number(fromBlock) + 1 : Number.POSITIVE_INFINITY;
    const { hint } = outcome.error;
    if (hasHeights || hint.maxBlocks !== undefined) limit.recordRejection(blocks, hint);
  }
}
