import { GraphError } from '../../../errors.ts';
import { bloomMayMatch, isEmptyBloom, type LogFilter, matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { SourceEvent, SourceEventBatch, SourceStream } from '../../../graphql/stream.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { BlockLogs, ChainFeed } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { checkTopics } from '../loaders/log-criteria.ts';
import { cursorExpiredError, unknownHeadError } from './cursor-errors.ts';
import { decodeLogCursor, encodeLogCursor } from './log-cursor.ts';
import { type LogReplayStep, logReplaySteps } from './log-replay.ts';

export interface LogsRoot {
  readonly logs: RpcLog;
}

/** So many blocks are read at once for a subscriber that goes on. */
const REPLAY_CONCURRENCY = 16;

/** As many alternatives as geth takes in one list. */
const MAX_FILTER_VALUES = 1_000;

/** Refuses what would have to be held against every log for as long as somebody listens. */
function checkLengths({ addresses, topics }: LogFilter): void {
  const actual = Math.max(...[addresses, ...(topics ?? [])].map((list) => list?.length ?? 0));
  if (actual <= MAX_FILTER_VALUES) return;
  const message = `A subscription takes at most ${MAX_FILTER_VALUES} addresses, and as many topics in one position.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_FILTER_VALUES, actual });
}

/**
 * A log that comes is read at its block. Below a log that goes, state is read at the head, and the log's own block, transaction and receipt
 * as they were read when the log came.
 */
function logEventOf({ hash, height }: Head, log: RpcLog, removed: boolean): SourceEvent<LogsRoot> {
  const cursor = encodeLogCursor({ height, hash, index: Number(log.logIndex), removed });
  return removed
    ? { root: { logs: { ...log, removed } }, cursor, removed, abandoned: [hash] }
    : { root: { logs: log }, block: hash, cursor, removed };
}

const addedLogEvents = ({ head, logs }: BlockLogs, filter: LogFilter): SourceEvent<LogsRoot>[] =>
  logs.filter((log) => matchesFilter(log, filter)).map((log) => logEventOf(head, log, false));

/** Last first, which undoes them step by step. */
const removedLogEvents = ({ head, logs }: BlockLogs, filter: LogFilter): SourceEvent<LogsRoot>[] =>
  logs
    .filter((log) => matchesFilter(log, filter))
    .map((log) => logEventOf(head, log, true))
    .reverse();

/** Events of one step of a backlog, out of all logs of its block. */
export function replayEvents(
  { head, isRemoval, includesLog }: LogReplayStep,
  logs: readonly RpcLog[],
  filter: LogFilter,
): SourceEventBatch<LogsRoot> {
  const meant = { head, logs: logs.filter(({ logIndex }) => includesLog(Number(logIndex))) };
  return isRemoval ? removedLogEvents(meant, filter) : addedLogEvents(meant, filter);
}

/** Whether the block of a header may have logs that pass; no is certain. */
const mayContainLogs = ({ header: { logsBloom } }: Head, filter: LogFilter): boolean =>
  isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom!, filter);

/**
 * Logs that pass a filter, of each block that the chain gains, and of each that it loses once more. Behind `after` come first the steps
 * from what the client has to what the stream has told. Throws BAD_USER_INPUT for a filter or a cursor that there is none of. Source: the feed's logs.
 */
export function logs(feed: ChainFeed, filter: LogFilter, after: string | null | undefined): SourceStream<LogsRoot> {
  checkTopics(filter);
  checkLengths(filter);
  const position = after === null || after === undefined ? undefined : decodeLogCursor(after);

  const logsAt = async ({ head, isRemoval }: LogReplayStep, signal: AbortSignal): Promise<readonly RpcLog[]> => {
    if (!mayContainLogs(head, filter)) return [];
    try {
      return await feed.logsOf(head, signal);
    } catch (error) {
      throw isRemoval && hasCode(error, 'GAP_TOO_LARGE') ? cursorExpiredError('A block that the chain has left') : error;
    }
  };

  async function* replay(steps: readonly LogReplayStep[] | GraphError, signal: AbortSignal) {
    if (steps instanceof GraphError) throw steps;
    for (let at = 0; at < steps.length; at += REPLAY_CONCURRENCY) {
      const some = steps.slice(at, at + REPLAY_CONCURRENCY);
      const found = await Promise.all(some.map((step) => logsAt(step, signal)));
      for (const [i, step] of some.entries()) {
        const events = replayEvents(step, found[i]!, filter);
        if (events.length > 0) yield events;
      }
    }
  }

  return {
    subscribe: ({ next, end }) =>
      feed.subscribeLogs({
        next: ({ removed, added }) => {
          const events = [
            ...removed.flatMap((block) => removedLogEvents(block, filter)),
            ...added.flatMap((block) => addedLogEvents(block, filter)),
          ];
          if (events.length > 0) next(events);
        },
        end,
      }),
    backlog: position
      ? (signal) => {
          const { logsHead } = feed;
          const own = feed.recentBlock(position.hash);
          const way = logsHead && feed.pathBetween(position.hash, logsHead);
          return replay(
            !logsHead
              ? unknownHeadError()
              : way && own
                ? logReplaySteps(position, own, way)
                : cursorExpiredError('The block of this cursor'),
            signal,
          );
        }
      : undefined,
  };
}
