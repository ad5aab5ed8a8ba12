import { isEmptyBloom } from '../../../ethereum/bloom.ts';
import { quantityOf } from '../../../ethereum/hex.ts';
import { bloomMayMatch, type LogFilter, matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { SubscriptionLogPagesArgs } from '../../../generated/chain.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import { nextTurn } from '../../../lib/operation-budget.ts';
import type { Operation } from '../../../operation/operation.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { BlockLogs, ChainPath } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { areProven } from '../../../sync/logs/log-fetcher.ts';
import { checkSubscriptionFilter } from '../log/criteria.ts';
import { cursorExpiredError, decodeLogCursor, encodeLogCursor, type LogPosition, MAX_LOG_INDEX } from '../log/cursor.ts';
import { endOfBlock, LOG_PAGES, type LogEventForm, SINGLE_LOGS } from './log-events.ts';
import { createBacklogs, type EventPosition, type PastSources, startOf } from './past.ts';

/** The logs of one block that a resuming client missed. */
export interface LogReplayStep {
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

/** Returns the logs of one step that match, from all logs of its block. */
export const logsOfStep = ({ includesLog }: Pick<LogReplayStep, 'includesLog'>, logs: readonly RpcLog[], filter: LogFilter) => ({
  logs: logs.filter((log) => includesLog(Number(log.logIndex)) && matchesFilter(log, filter)),
  isProven: logs === EXCLUDED_LOGS || areProven(logs),
});

/** The logs of a block whose bloom excludes the filter. */
const EXCLUDED_LOGS: readonly RpcLog[] = [];

/** False only when the header's bloom excludes every log of the filter. */
const mayContainLogs = ({ header: { logsBloom } }: Head, filter: LogFilter): boolean =>
  isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom!, filter);

/** Number of blocks read concurrently for a resuming subscriber. */
const REPLAY_CONCURRENCY = 16;
/** Maximum number of logs of a past page: a subscriber retains one page. */
const PAST_PAGE_LOGS = 200;
/** Time after which a page is sent although no log matches, so that a client can store its position. */
const CHECKPOINT_MS = 10_000;

/** A position from which a subscription starts; without a hash, after all logs of the block at the height. */
type LogStart = Omit<LogPosition, 'hash'> & EventPosition;

/**
 * Streams the matching logs of each block that the chain adds, and again, as removed, of each block that a reorg
 * removes. With a start, the stream begins with the events after it. Throws BAD_USER_INPUT for an
 * invalid filter or start. Source: the feed's logs; before its history, pages of logs.
 */
function logStream<Root>(
  sources: PastSources,
  operation: Operation,
  args: SubscriptionLogPagesArgs,
  form: LogEventForm<Root>,
): SourceStream<Root> {
  const { feed } = sources;
  const filter: LogFilter = args.filter ?? {};
  checkSubscriptionFilter(filter);
  const start = startOf<LogStart>(args, decodeLogCursor, (height) => ({
    ...{ height, hash: undefined, index: MAX_LOG_INDEX, removed: false },
  }));

  const logsAt = async ({ head, isRemoval }: LogReplayStep, signal: AbortSignal): Promise<readonly RpcLog[]> => {
    if (!mayContainLogs(head, filter)) return EXCLUDED_LOGS;
    try {
      return await feed.logsOf(head, signal, isRemoval);
    } catch (error) {
      throw isRemoval && hasCode(error, 'GAP_TOO_LARGE') ? cursorExpiredError('A block that a reorg removed') : error;
    }
  };

  async function* replay(steps: readonly LogReplayStep[], signal: AbortSignal) {
    let [isProven, isLastSent] = [true, false];
    for (let from = 0; from < steps.length; from += REPLAY_CONCURRENCY) {
      // The logs of recent blocks are cached, so that nothing else would yield to the event loop.
      if (from > 0) await nextTurn(signal);
      const concurrent = steps.slice(from, from + REPLAY_CONCURRENCY);
      const logsOfSteps = await Promise.all(concurrent.map((step) => logsAt(step, signal)));
      for (const [i, step] of concurrent.entries()) {
        const found = logsOfStep(step, logsOfSteps[i]!, filter);
        const events = form.ofBlock(step.head, found, step.isRemoval);
        isProven &&= found.isProven;
        isLastSent = events.length > 0 || step.isRemoval;
        if (events.length > 0) yield events;
      }
    }
    const last = steps.at(-1)?.head;
    const checkpoint = last && !isLastSent ? form.ofPage({ logs: [], isProven }, endOfBlock(last)) : [];
    if (checkpoint.length > 0) yield checkpoint;
  }

  const backlogAfter = createBacklogs<LogStart, Root>(sources, operation, {
    recentEvents({ height, hash: known, index, removed }, signal) {
      const { logsHead } = feed;
      if (!logsHead) return undefined;
      const hash = known ?? (height <= logsHead.height ? feed.canonicalBlock(height)?.hash : undefined);
      const cursorBlock = hash === undefined ? undefined : feed.recentBlock(hash);
      const path = cursorBlock && feed.pathBetween(cursorBlock.hash, logsHead);
      // The feed has not emitted the logs of the block yet, which another server, or the height, names.
      const isAhead = path && path.removed.length > 0 && feed.canonicalBlock(cursorBlock.height)?.hash === cursorBlock.hash;
      if (isAhead) return undefined;
      return path && replay(logReplaySteps({ ...endOfBlock(cursorBlock), index, removed }, cursorBlock, path), signal);
    },

    async readPage({ logs, finality, snapshot }, start, seam) {
      const { height, hash, index, removed } = start;
      if (removed) {
        // The block of a removal is on the chain again. The client has the logs before the index.
        await finality.assertCanonicalCursor({ height, hash: hash! }, '');
        const before =
          index > 0 ? { height, hash, index: index - 1 } : { height: height - 1, hash: undefined, index: MAX_LOG_INDEX };
        return { events: [], position: { ...before, removed: false } };
      }
      const after = hash && encodeLogCursor({ height, hash, index, removed });
      const criteria = { ...filter, fromBlock: quantityOf(hash ? height : height + 1), toBlock: seam.number };
      const page = await logs.page({ criteria, args: { first: Math.min(PAST_PAGE_LOGS, logs.maxPageSize), after } });
      const { hasNextPage, endCursor } = page.pageInfo;
      const position = hasNextPage ? decodeLogCursor(endCursor!) : endOfBlock(seam);
      const isProven = snapshot.operation.trust?.isProven('logs') ?? false;
      return { events: form.ofPage({ logs: page.logs, isProven }, position), position };
    },

    removals: ({ index, removed }, [cursorBlock, ...below], signal) => {
      if (!cursorBlock) return replay([], signal);
      const path = { removed: [cursorBlock, ...below], added: [] };
      return replay(logReplaySteps({ ...endOfBlock(cursorBlock), index, removed }, cursorBlock, path), signal);
    },

    endOf: endOfBlock,
  });

  return {
    subscribe({ next, end }) {
      let sentAt = performance.now();
      /** Whether headers prove the logs of all blocks since the last event. */
      let isProven = true;
      return feed.subscribeLogs({
        next({ removed, added }) {
          const eventsOf = ({ head, logs }: BlockLogs, isRemoval: boolean) =>
            form.ofBlock(head, logsOfStep({ includesLog: allLogs }, logs, filter), isRemoval);
          const removals = removed.flatMap((block) => eventsOf(block, true));
          const events = [...removals, ...added.flatMap((block) => eventsOf(block, false))];
          const last = added.at(-1)?.head;
          isProven &&= added.every(({ logs }) => areProven(logs));
          if (events.length === 0 && last && performance.now() - sentAt >= CHECKPOINT_MS)
            events.push(...form.ofPage({ logs: [], isProven }, endOfBlock(last)));
          if (events.length === 0) return;
          [sentAt, isProven] = [performance.now(), true];
          next(
            events,
            removals.map(({ revokes }) => revokes!),
          );
        },
        end,
      });
    },
    backlog: start && backlogAfter(start),
    backlogAfter: (cursor) => backlogAfter(decodeLogCursor(cursor)),
  };
}

/** Streams one event for each log. */
export const logs = (sources: PastSources, operation: Operation, args: SubscriptionLogPagesArgs) =>
  logStream(sources, operation, args, SINGLE_LOGS);

/** Streams pages of logs. */
export const logPages = (sources: PastSources, operation: Operation, args: SubscriptionLogPagesArgs) =>
  logStream(sources, operation, args, LOG_PAGES);
