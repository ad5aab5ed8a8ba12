import { invalidShape } from '../../../ethereum/decoders.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { PageRequest, RelayConnection } from '../../../graphql/connections.ts';
import { type LogPosition, logCursorOf } from './cursor.ts';
import type { SearchRange } from './range-search.ts';

/** A page of logs in chain order. */
export interface LogPage {
  readonly logs: readonly RpcLog[];
  readonly pageInfo: RelayConnection<RpcLog>['pageInfo'];
}

/** Whether entries may precede the page in the direction of the search: its cursor is inside the range. */
export const startsInside = ({ first, last }: SearchRange, isBackward: boolean, start: LogPosition | undefined): boolean =>
  start !== undefined && (isBackward ? start.height <= last : start.height >= first);

/** Cuts a page off the logs that were found. `isComplete`: no other logs follow them; `hasEarlier`: entries precede the page. */
export function cutPage(
  logs: readonly RpcLog[],
  { size, isBackward }: PageRequest,
  isComplete: boolean,
  hasEarlier: boolean,
): LogPage {
  const cut = isBackward ? logs.slice(Math.max(0, logs.length - size)) : logs.slice(0, size);
  const hasMore = logs.length > size || !isComplete;
  const cursorAt = (index: number): string | null => {
    const log = cut.at(index);
    return log ? logCursorOf(log) : null;
  };
  return {
    logs: cut,
    pageInfo: {
      hasNextPage: isBackward ? hasEarlier : hasMore,
      hasPreviousPage: isBackward ? hasMore : hasEarlier,
      startCursor: cursorAt(0),
      endCursor: cursorAt(-1),
    },
  };
}

/**
 * Throws UPSTREAM_BAD_RESPONSE when indexes do not increase within a block: some nodes restart them at each transaction, and then a cursor is not
 * the position of one log.
 */
export function assertOrderedIndexes(logs: readonly RpcLog[]): void {
  for (let i = 1; i < logs.length; i++) {
    const [previous, log] = [logs[i - 1]!, logs[i]!];
    if (log.blockHash === previous.blockHash && Number(log.logIndex) <= Number(previous.logIndex)) {
      throw invalidShape('logs with an index of their own in the block');
    }
  }
}
