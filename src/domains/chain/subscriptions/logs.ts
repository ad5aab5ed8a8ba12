import { GraphError } from '../../../errors.ts';
import { bloomMayMatch, isEmptyBloom, type LogFilter, matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { Batch, Stream, StreamEvent } from '../../../graphql/stream.ts';
import { hasCode } from '../../../snapshot/node-probe.ts';
import type { BlockLogs, Feed } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { checkTopics } from '../loaders/logs.ts';
import { expired, unknownHead } from './cursor-errors.ts';
import { readCursor, writeCursor } from './log-cursor.ts';
import { type Step, stepsFrom } from './log-steps.ts';

export interface Logs {
  readonly logs: RpcLog;
}

/** So many blocks are read at once for a subscriber that goes on. */
const AT_ONCE = 16;

/** As many alternatives as geth takes in one list. */
const MOST_WANTED = 1_000;

/** Refuses what would have to be held against every log for as long as somebody listens. */
function checkLengths({ addresses, topics }: LogFilter): void {
  const actual = Math.max(...[addresses, ...(topics ?? [])].map((list) => list?.length ?? 0));
  if (actual <= MOST_WANTED) return;
  const message = `A subscription takes at most ${MOST_WANTED} addresses, and as many topics in one position.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MOST_WANTED, actual });
}

/**
 * A log that comes is read at its block. Below a log that goes, state is read at the head, and the log's own block, transaction and receipt
 * as they were read when the log came.
 */
function eventOf({ hash, height }: Head, log: RpcLog, removed: boolean): StreamEvent<Logs> {
  const cursor = writeCursor({ height, hash, index: Number(log.logIndex), removed });
  return removed
    ? { root: { logs: { ...log, removed } }, cursor, removed, abandoned: [hash] }
    : { root: { logs: log }, block: hash, cursor, removed };
}

const comingOf = ({ head, logs }: BlockLogs, filter: LogFilter): StreamEvent<Logs>[] =>
  logs.filter((log) => matchesFilter(log, filter)).map((log) => eventOf(head, log, false));

/** Last first, which undoes them step by step. */
const goingOf = ({ head, logs }: BlockLogs, filter: LogFilter): StreamEvent<Logs>[] =>
  logs
    .filter((log) => matchesFilter(log, filter))
    .map((log) => eventOf(head, log, true))
    .reverse();

/** Events of one step of a backlog, out of all logs of its block. */
export function eventsOf({ head, goes, isMeant }: Step, logs: readonly RpcLog[], filter: LogFilter): Batch<Logs> {
  const meant = { head, logs: logs.filter(({ logIndex }) => isMeant(Number(logIndex))) };
  return goes ? goingOf(meant, filter) : comingOf(meant, filter);
}

/** Whether the block of a header may have logs that pass; no is certain. */
const mayHold = ({ header: { logsBloom } }: Head, filter: LogFilter): boolean =>
  isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom!, filter);

/**
 * Logs that pass a filter, of each block that the chain gains, and of each that it loses once more. Behind `after` come first the steps
 * from what the client has to what the stream has told. Throws BAD_USER_INPUT for a filter or a cursor that there is none of. Source: the feed's logs.
 */
export function logs(feed: Feed, filter: LogFilter, after: string | null | undefined): Stream<Logs> {
  checkTopics(filter);
  checkLengths(filter);
  const position = after === null || after === undefined ? undefined : readCursor(after);

  const logsAt = async ({ head, goes }: Step, signal: AbortSignal): Promise<readonly RpcLog[]> => {
    if (!mayHold(head, filter)) return [];
    try {
      return await feed.logsOf(head, signal);
    } catch (error) {
      throw goes && hasCode(error, 'GAP_TOO_LARGE') ? expired('A block that the chain has left') : error;
    }
  };

  async function* replay(steps: readonly Step[] | GraphError, signal: AbortSignal) {
    if (steps instanceof GraphError) throw steps;
    for (let at = 0; at < steps.length; at += AT_ONCE) {
      const some = steps.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((step) => logsAt(step, signal)));
      for (const [i, step] of some.entries()) {
        const events = eventsOf(step, found[i]!, filter);
        if (events.length > 0) yield events;
      }
    }
  }

  return {
    open: ({ next, end }) =>
      feed.logs({
        next: ({ removed, added }) => {
          const events = [
            ...removed.flatMap((block) => goingOf(block, filter)),
            ...added.flatMap((block) => comingOf(block, filter)),
          ];
          if (events.length > 0) next(events);
        },
        end,
      }),
    backlog: position
      ? (signal) => {
          const { logsHead } = feed;
          const own = feed.block(position.hash);
          const way = logsHead && feed.way(position.hash, logsHead);
          return replay(
            !logsHead ? unknownHead() : way && own ? stepsFrom(position, own, way) : expired('The block of this cursor'),
            signal,
          );
        }
      : undefined,
  };
}
