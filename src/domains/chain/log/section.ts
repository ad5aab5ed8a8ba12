import { toBigInt } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import { type LogPosition, MAX_LOG_INDEX } from './cursor.ts';
import type { SearchRange } from './range-search.ts';

/** The part of a range that lies between the cursors of a page. */
export interface PageSection extends SearchRange {
  /** Whether a log of these blocks lies between the cursors. */
  readonly includes: (log: RpcLog) => boolean;
}

/** The cursors of a page. Their logs are not part of the page. */
export interface PageCursors {
  readonly after: LogPosition | undefined;
  readonly before: LogPosition | undefined;
}

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

/** The position after all logs of a block, or before all of them. No log has it, so that the log of the cursor is never skipped. */
export const edgeOfBlock = (height: number, hash: string, isBackward: boolean): LogPosition => ({
  height,
  hash,
  index: isBackward ? 0 : MAX_LOG_INDEX,
  removed: false,
});
