import { bloomMayMatch, isEmptyBloom, type LogFilter, matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { SourceEvent, SourceStream } from '../../../graphql/stream.ts';
import { GraphError } from '../../../lib/errors.ts';
import { nextTurn } from '../../../lib/operation-budget.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { BlockLogs, ChainFeed, ChainPath } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { areProven } from '../../../sync/logs/log-fetcher.ts';
import { checkSubscriptionFilter } from '../log/criteria.ts';
import {
  cursorAheadError,
  cursorExpiredError,
  decodeLogCursor,
  encodeLogCursor,
  type LogPosition,
  unknownHeadError,
} from '../log/cursor.ts';

/** The logs of one block that a resuming client missed. */
interface LogReplayStep {
  readonly head: Head;
  /** True: emit the logs as removed, last first, because a reorg removed their block. False: emit them as added. */
  readonly isRemoval: boolean;
  /** Whether the log with this index belongs to the step. */
  readonly includesLog: (index: number) => boolean;
}

const allLogs = (): boolean => true;

/**
 * Returns the steps from a client's cursor to the current end of the stream, in order. `cursorBlock` is the block of
 * the cursor, `path` leads from it to the head. The client has the logs of that block up to and including the log of
 * the cursor; if the cursor is a removal, the logs before it.
 */
export function logReplaySteps({ index, removed }: LogPosition, cursorBlock: Head, path: ChainPath): readonly LogReplayStep[] {
  const isDelivered = (logIndex: number): boolean => (removed ? logIndex < index : logIndex <= index);
  const isCursorBlockRemoved = path.removed[0]?.hash === cursorBlock.hash;
  return [
    ...path.removed.map((head) => ({
      head,
      isRemoval: true,
      includesLog: head.hash === cursorBlock.hash ? isDelivered : allLogs,
    })),
    ...(isCursorBlockRemoved
      ? []
      : [{ head: cursorBlock, isRemoval: false, includesLog: (logIndex: number) => !isDelivered(logIndex) }]),
    ...path.added.map((head) => ({ head, isRemoval: false, includesLog: allLogs })),
  ];
}

/** Root value of one `logs` event. */
export interface LogsRoot {
  readonly logs: RpcLog;
  /** Whether the header of its block proves the log. */
  readonly isProven: boolean;
}

/** Number of blocks read concurrently for a resuming subscriber. */
const REPLAY_CONCURRENCY = 16;

/**
 * The fields below an added log are read at its block. Below a removed log, state is read at the head; its block, transaction and receipt are
 * the fields read when the log was added.
 */
function logEventOf({ hash, height }: Head, log: RpcLog, isProven: boolean, removed: boolean): SourceEvent<LogsRoot> {
  const position = { height, hash, index: Number(log.logIndex) };
  const cursor = encodeLogCursor({ ...position, removed });
  if (!removed) return { root: { logs: log, isProven }, block: hash, cursor, removed };
  const revokes = encodeLogCursor({ ...position, removed: false });
  return { root: { logs: { ...log, removed }, isProven }, cursor, removed, revokes, abandoned: [hash] };
}

/**
 * Returns the events of one step from all logs of its block; removals with the last log first, since they undo the events of the block in reverse
 * order.
 */
export function replayEvents({ head, isRemoval, includesLog }: LogReplayStep, logs: readonly RpcLog[], filter: LogFilter) {
  const isProven = areProven(logs);
  const events = logs
    .filter((log) => includesLog(Number(log.logIndex)) && matchesFilter(log, filter))
    .map((log) => logEventOf(head, log, isProven, isRemoval));
  return isRemoval ? events.reverse() : events;
}

/** False only when the header's bloom excludes every log of the filter. */
const mayContainLogs = ({ header: { logsBloom } }: Head, filter: LogFilter): boolean =>
  isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom!, filter);

/**
 * Maximum number of blocks by which this server, or its node, may lag behind the server that returned a cursor. A cursor
 * further above the head is of another chain, such as a development chain before its restart.
 */
const MAX_LAG_BLOCKS = 8;

/**
 * Streams the matching logs of each block that the chain adds, and again, as removed, of each block that a reorg
 * removes. With the cursor `after`, the stream starts with the events after the cursor. Throws BAD_USER_INPUT for an
 * invalid filter or cursor. Source: the feed's logs.
 */
export function logs(feed: ChainFeed, filter: LogFilter, after: string | null | undefined): SourceStream<LogsRoot> {
  checkSubscriptionFilter(filter);
  const position = after === null || after === undefined ? undefined : decodeLogCursor(after);

  const logsAt = async ({ head, isRemoval }: LogReplayStep, signal: AbortSignal): Promise<readonly RpcLog[]> => {
    if (!mayContainLogs(head, filter)) return [];
    try {
      return await feed.logsOf(head, signal);
    } catch (error) {
      throw isRemoval && hasCode(error, 'GAP_TOO_LARGE') ? cursorExpiredError('A block that a reorg removed') : error;
    }
  };

  async function* replay(steps: readonly LogReplayStep[] | GraphError, signal: AbortSignal) {
    if (steps instanceof GraphError) throw steps;
    for (let start = 0; start < steps.length; start += REPLAY_CONCURRENCY) {
      // The logs of recent blocks are cached, so that nothing else would yield to the event loop.
      if (start > 0) await nextTurn(signal);
      const concurrent = steps.slice(start, start + REPLAY_CONCURRENCY);
      const logsOfSteps = await Promise.all(concurrent.map((step) => logsAt(step, signal)));
      for (const [i, step] of concurrent.entries()) {
        const events = replayEvents(step, logsOfSteps[i]!, filter);
        if (events.length > 0) yield events;
      }
    }
  }

  const missedSteps = (cursor: LogPosition): readonly LogReplayStep[] | GraphError => {
    const { logsHead } = feed;
    if (!logsHead) return unknownHeadError();
    const cursorBlock = feed.recentBlock(cursor.hash);
    const path = feed.pathBetween(cursor.hash, logsHead);
    if (cursorBlock && path) return logReplaySteps(cursor, cursorBlock, path);
    const lag = cursor.height - logsHead.height;
    return lag > 0 && lag <= MAX_LAG_BLOCKS ? cursorAheadError() : cursorExpiredError('The block of this cursor');
  };

  // The steps are determined when called, not at the first read of the iterator: the live events start at this head.
  const backlogAfter = (cursor: LogPosition) => (signal: AbortSignal) => replay(missedSteps(cursor), signal);

  return {
    subscribe: ({ next, end }) =>
      feed.subscribeLogs({
        next: ({ removed, added }) => {
          const eventsOf = ({ head, logs: all }: BlockLogs, isRemoval: boolean) =>
            replayEvents({ head, isRemoval, includesLog: allLogs }, all, filter);
          const removals = removed.flatMap((block) => eventsOf(block, true));
          const events = [...removals, ...added.flatMap((block) => eventsOf(block, false))];
          const revoked = removals.map(({ revokes }) => revokes!);
          if (events.length > 0) next(events, revoked);
        },
        end,
      }),
    backlog: position && backlogAfter(position),
    backlogAfter: (cursor) => backlogAfter(decodeLogCursor(cursor)),
  };
}
