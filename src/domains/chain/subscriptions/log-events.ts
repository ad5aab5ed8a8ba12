import { quantityOf } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { LogPage } from '../../../generated/chain.ts';
import type { SourceEvent, SourceEventBatch } from '../../../graphql/stream.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { encodeLogCursor, type LogPosition, MAX_LOG_INDEX } from '../log/cursor.ts';

/** Root value of one `logs` event. */
export interface LogsRoot {
  readonly logs: RpcLog;
  /** Whether the header of its block proves the log. */
  readonly isProven: boolean;
}

/** Root value of one `logPages` event. */
export interface LogPagesRoot {
  readonly logPages: Omit<LogPage, 'nodes'> & { readonly nodes: readonly RpcLog[] };
  /** Whether headers prove that the page has all logs of its blocks. */
  readonly isProven: boolean;
}

/** Logs of a block, of which none is left out, or of a past page. */
interface FoundLogs {
  readonly logs: readonly RpcLog[];
  readonly isProven: boolean;
}

/** The form of the events of a stream. */
export interface LogEventForm<Root> {
  /** The events that add the logs of a block or remove them. */
  readonly ofBlock: (block: Pick<Head, 'hash' | 'height'>, found: FoundLogs, isRemoval: boolean) => SourceEventBatch<Root>;
  /** The events of a past page that ends at a position. */
  readonly ofPage: (found: FoundLogs, end: LogPosition) => SourceEventBatch<Root>;
}

/**
 * The fields below an added log are read at its block. Below a removed log, state is read at the head; its block, transaction and receipt are
 * the fields read when the log was added.
 */
function logEventOf({ hash, height }: Pick<Head, 'hash' | 'height'>, log: RpcLog, isProven: boolean, removed: boolean) {
  const position = { height, hash, index: Number(log.logIndex) };
  const cursor = encodeLogCursor({ ...position, removed });
  if (!removed) return { root: { logs: log, isProven }, block: hash, cursor, removed };
  const revokes = encodeLogCursor({ ...position, removed: false });
  return { root: { logs: { ...log, removed }, isProven }, cursor, removed, revokes, abandoned: [hash] };
}

/** One event for each log; removals with the last log first, since they undo the events of the block in reverse order. */
export const SINGLE_LOGS: LogEventForm<LogsRoot> = {
  ofBlock(block, { logs, isProven }, isRemoval) {
    const events = logs.map((log) => logEventOf(block, log, isProven, isRemoval));
    return isRemoval ? events.reverse() : events;
  },
  ofPage: ({ logs, isProven }) =>
    logs.map((log) => logEventOf({ hash: log.blockHash!.toLowerCase(), height: Number(log.blockNumber) }, log, isProven, false)),
};

function pageEventOf({ logs: nodes, isProven }: FoundLogs, end: LogPosition): SourceEvent<LogPagesRoot> {
  const { height, hash, index, removed } = end;
  const cursor = encodeLogCursor(end);
  const searchedTo = quantityOf(index === MAX_LOG_INDEX ? height : Math.max(0, height - 1));
  const root = { logPages: { nodes, searchedTo, cursor }, isProven };
  if (!removed) return { root, block: hash, cursor, removed };
  const revokes = encodeLogCursor(endOfBlock({ height, hash }));
  return { root, cursor, removed, revokes, abandoned: [hash] };
}

/** One event for the logs of a block that has any, and one for each past page, also for an empty one. */
export const LOG_PAGES: LogEventForm<LogPagesRoot> = {
  ofBlock({ hash, height }, { logs, isProven }, removed) {
    if (logs.length === 0) return [];
    if (!removed) return [pageEventOf({ logs, isProven }, endOfBlock({ height, hash }))];
    const nodes = logs.map((log) => ({ ...log, removed })).reverse();
    return [pageEventOf({ logs: nodes, isProven }, { height, hash, index: 0, removed })];
  },
  ofPage: (found, end) => [pageEventOf(found, end)],
};

/** The position after all logs of a block. */
export const endOfBlock = ({ height, hash }: Pick<Head, 'hash' | 'height'>): LogPosition => ({
  ...{ height, hash, index: MAX_LOG_INDEX, removed: false },
});
