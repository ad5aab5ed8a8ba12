import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import { LogRangeError } from '../../../upstream/rpc/log-range-limit.ts';
import type { SearchWidth } from './search-width.ts';

/** Inclusive heights whose blocks are searched for logs. */
export interface SearchRange {
  readonly first: number;
  readonly last: number;
}

/** A part of a searched range, with its logs in order. */
export interface SearchedPart extends SearchRange {
  readonly logs: readonly RpcLog[];
}

export interface RangeSearchOptions {
  readonly range: SearchRange;
  /** Whether the search starts at the upper end. */
  readonly isBackward: boolean;
  readonly width: SearchWidth;
  /** Reads the logs of a part. May throw to end the search. */
  readonly read: (part: SearchRange) => Promise<readonly RpcLog[]>;
  /** Receives each part, in the direction of the search. Returns whether to continue. */
  readonly onPart: (part: SearchedPart) => boolean | Promise<boolean>;
  /** Returns the number of logs that are requested beyond the logs of the parts so far. */
  readonly missing: () => number;
}

/** A search that takes longer is not followed by a wider one. */
const SLOW_SEARCH_MS = 1_000;

/** Searches a range in parts, from one end, one after the other, each as wide as `width` states. Narrows a part that the node rejects. */
export async function searchInParts({ range, isBackward, width, read, onPart, missing }: RangeSearchOptions): Promise<void> {
  let { first, last } = range;
  while (first <= last) {
    const blocks = Math.min(width.blocks, last - first + 1);
    const part = isBackward ? { first: last - blocks + 1, last } : { first, last: first + blocks - 1 };
    const startedAt = performance.now();
    let logs: readonly RpcLog[];
    try {
      logs = await read(part);
    } catch (error) {
      if (!(error instanceof LogRangeError) || blocks === 1) throw error;
      width.recordRejection(blocks, error.hint, missing());
      continue;
    }
    const isFast = performance.now() - startedAt < SLOW_SEARCH_MS;
    const continues = await onPart({ ...part, logs });
    width.recordResult(blocks, logs.length, missing(), isFast);
    if (!continues) return;
    if (isBackward) last = part.first - 1;
    else first = part.last + 1;
  }
}
