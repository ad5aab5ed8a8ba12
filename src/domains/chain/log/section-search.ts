import { invalidShape } from '../../../ethereum/decoders.ts';
import { isBlockHash, quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { PageRequest } from '../../../graphql/connections.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import { type LogPosition, MAX_LOG_INDEX } from './cursor.ts';
import { assertOneBranch, type LogDensities, type SearchRange, SearchWidth, searchInParts } from './range-search.ts';
import type { LogReads } from './reads.ts';

/** The part of a range that lies between the cursors of a page. */
export interface PageSection extends SearchRange {
  /** Whether a log of these blocks lies between the cursors. */
  readonly includes: (log: RpcLog) => boolean;
}

/** The cursors of a page. Their logs are not part of the page. */
export type PageCursors = Readonly<Record<'after' | 'before', LogPosition | undefined>>;

/** Returns the section between two cursors. A cursor after or before all logs of its block excludes the block. */
export function sectionBetween({ first, last }: SearchRange, { after, before }: PageCursors): PageSection {
  return {
    first: after ? Math.max(first, after.index === MAX_LOG_INDEX ? after.height + 1 : after.height) : first,
    last: before ? Math.min(last, before.index === 0 ? before.height - 1 : before.height) : last,
    includes: (log) => (!after || compare(log, after) > 0) && (!before || compare(log, before) < 0),
  };
}

const compare = ({ blockNumber, logIndex }: RpcLog, { height, index }: LogPosition): number =>
  Number(toBigInt(blockNumber)) - height || Number(toBigInt(logIndex)) - index;

/** Share of the operation's budget that searches may use. The rest is for the fields of the logs that they find. */
const SEARCH_SHARE = 0.5;

/**
 * Returns the remaining part of the budget share of searches. It is negative when searches have used more, and
 * unlimited without a budget.
 */
export function searchBudgetOf(budget: OperationBudget | undefined): { readonly cost: number; readonly upstreamBytes: number } {
  if (!budget) return { cost: Number.POSITIVE_INFINITY, upstreamBytes: Number.POSITIVE_INFINITY };
  const { limits, spent, upstreamBytes } = budget;
  return {
    cost: SEARCH_SHARE * limits.MAX_COST - spent,
    upstreamBytes: SEARCH_SHARE * limits.MAX_UPSTREAM_BYTES - upstreamBytes,
  };
}

/** Maximum number of searches for one page. */
const MAX_SEARCHES_PER_PAGE = 32;
/** A page that is not full after this time ends, because the operation has a deadline. */
const MAX_PAGE_MS = 3_000;

/** Divisor of the width of the next search of a filter after a search that the node did not complete in time. */
const TIMEOUT_FACTOR = 8;

/** Creates the searches of one operation: each ends when its page is full, or when it has reached a limit. */
export function createPageSearch(snapshot: Snapshot, { readBlock, readRange, releaseRange }: LogReads, densities: LogDensities) {
  const { operation, pin, session } = snapshot;
  /** Reads a part of a range; a single block by its hash if the hash is known. */
  const readPart = async ({ first, last }: SearchRange, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const bounds = { fromBlock: quantityOf(first), toBlock: quantityOf(last) };
    const hash = first === last ? pin.resolveRef(bounds.toBlock) : undefined;
    if (hash && isBlockHash(hash)) return readBlock(hash, criteria);
    const logs = await readRange(bounds, criteria);
    // Otherwise the operation would retain the logs of all parts.
    releaseRange(bounds, criteria);
    return logs;
  };

  /** `onFirstPart` receives the first logs of the search before it continues. */
  return async (
    section: PageSection,
    { size, isBackward }: PageRequest,
    criteria: LogFilter,
    onFirstPart: (logs: readonly RpcLog[]) => Promise<void>,
  ) => {
    const width = new SearchWidth(densities.initialBlocks(criteria, size), () => session.capabilities.logRangeLimit);
    const endsAt = performance.now() + MAX_PAGE_MS;
    const searched = { parts: 0, blocks: 0, logs: 0 };
    let searches = 0;
    let logs: readonly RpcLog[] = [];
    /** The last searched height in the direction of the search; undefined if nothing was searched. */
    let end: number | undefined;
    /** The first search that succeeds is always allowed, so each page makes progress. */
    const mayContinue = (): boolean => {
      if (logs.length >= size || searches >= MAX_SEARCHES_PER_PAGE || performance.now() >= endsAt) return false;
      const { cost, upstreamBytes } = searchBudgetOf(operation.budget);
      return cost > 0 && upstreamBytes > 0;
    };
    const read = (part: SearchRange) => {
      searches += 1;
      return readPart(part, criteria);
    };
    const missing = () => Math.max(1, size - logs.length);
    const parts = searchInParts({ range: section, isBackward, width, read, missing });
    try {
      for await (const part of parts) {
        assertOrderedIndexes(part.logs);
        if (end === undefined) await onFirstPart(part.logs);
        end = isBackward ? part.first : part.last;
        searched.parts += 1;
        searched.blocks += part.last - part.first + 1;
        searched.logs += part.logs.length;
        const entries = part.logs.filter(section.includes);
        logs = isBackward ? entries.concat(logs) : logs.concat(entries);
        if (!mayContinue()) break;
      }
      if (searched.blocks > 0) densities.record(criteria, size, width.widthOfNextPage(searched.blocks, searched.logs, size));
    } catch (error) {
      if (!hasCode(error, 'UPSTREAM_TIMEOUT')) throw error;
      densities.record(criteria, size, width.blocks / TIMEOUT_FACTOR);
      // The page ends before the part that takes too long, and the next page starts with a narrower part.
      if (end === undefined) throw error;
    }
    await assertOneBranch(snapshot, searched.parts);
    return { logs, end };
  };
}

/**
 * Throws UPSTREAM_BAD_RESPONSE when indexes do not increase within a block: some nodes restart indexes at each
 * transaction, and then a cursor does not identify one log.
 */
export function assertOrderedIndexes(logs: readonly RpcLog[]): void {
  for (let i = 1; i < logs.length; i++) {
    const [previous, log] = [logs[i - 1]!, logs[i]!];
    if (log.blockHash === previous.blockHash && Number(log.logIndex) <= Number(previous.logIndex)) {
      throw invalidShape('logs with an index of their own in the block');
    }
  }
}
