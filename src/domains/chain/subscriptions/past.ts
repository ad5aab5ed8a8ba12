import { isNullish } from '../../../ethereum/block-results.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { SourceBacklog, SourceEventBatch } from '../../../graphql/stream.ts';
import { abortableSleep, Sleeper } from '../../../lib/abort.ts';
import type { CallerTurns } from '../../../lib/caller-turns.ts';
import { GraphError } from '../../../lib/errors.ts';
import { OperationBudget } from '../../../lib/operation-budget.ts';
import type { Operation } from '../../../operation/operation.ts';
import { ResponseDependencies } from '../../../operation/response-dependencies.ts';
import { TrustRecord } from '../../../operation/trust.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import { type Head, readHead } from '../../../sync/chain/rpc-header.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { sourceFailedError } from '../../../sync/source-health.ts';
import type { LoaderParts } from '../block/reads.ts';
import { cursorAheadError, cursorExpiredError, unknownHeadError } from '../log/cursor.ts';
import type { LogSearches } from '../log/searches.ts';

/** Depth of the block up to which pages are read. The blocks above it are replayed by the feed, which knows the blocks that a reorg removes. */
const SEAM_DEPTH = 64;
/** Maximum number of blocks that a reorg has removed below the feed's history. */
const MAX_ABANDONED_BLOCKS = 256;
/**
 * Maximum number of blocks by which this server, or its node, may lag behind the server that returned a cursor. A cursor
 * further above the head is of another chain, such as a development chain before its restart.
 */
const MAX_LAG_BLOCKS = 8;

/**
 * Number of reads of a cursor's block after which it has expired, within MAX_LAG_BLOCKS below the head: a node that lags, or one of its
 * backends, may not have the block yet.
 */
const MAX_EXPIRED_READS = 3;

/** Interval in which a subscription from the next block checks whether the feed has emitted the events of the head. */
const LAG_CHECK_MS = 50;

const SOURCE = 'past events';

/** Errors after which the node is asked again for `sourceTimeoutMs`, as for live events, although the same operation is not worth sending again. */
const RETRIED_CODES: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_AUTH', 'UPSTREAM_QUOTA_EXCEEDED']);

/** The arguments from which a subscription starts. */
export interface StreamStart {
  readonly after?: string | null | undefined;
  readonly fromBlock?: Quantity | null | undefined;
}

/** The position after a cursor, else after the block below `fromBlock`; undefined without a start. */
export function startOf<Position>(
  { after, fromBlock }: StreamStart,
  ofCursor: (cursor: string) => Position,
  afterBlock: (height: number) => Position,
): Position | undefined {
  if (!isNullish(after)) return ofCursor(after);
  return isNullish(fromBlock) ? undefined : afterBlock(Number(fromBlock) - 1);
}

/** A block whose height is only known once the block is read has this height in a position. */
export const UNKNOWN_HEIGHT = -1;

/** A position between the events of a stream. */
export interface EventPosition {
  /** The height of the block up to which events were sent; -1 before the first block. */
  readonly height: number;
  /** Undefined before the first event of a subscription from a height. */
  readonly hash: Data | undefined;
}

/** Events after a position, and the position after them. */
export interface EventPage<Position extends EventPosition, Root> {
  readonly events: SourceEventBatch<Root>;
  readonly position: Position;
}

/** The loaders of an operation that reads past events. */
export interface PastLoaders extends LoaderParts {
  readonly snapshot: Snapshot;
  readonly logs: LogSearches;
}

/** How a stream reads its past events. */
export interface PastReads<Position extends EventPosition, Root> {
  /** The batches from a position to the current end of the stream; undefined if the feed no longer has the block of the position. */
  readonly recentEvents: (position: Position, signal: AbortSignal) => AsyncIterable<SourceEventBatch<Root>> | undefined;
  /** Reads the events after a position of known height, in blocks up to `seam`. Rejects with CURSOR_EXPIRED if a reorg has removed the block of the position. */
  readonly readPage: (loaders: PastLoaders, position: Position, seam: Head) => Promise<EventPage<Position, Root>>;
  /** The events that undo those of abandoned blocks, which are listed newest first. */
  readonly removals: (
    position: Position,
    abandoned: readonly Head[],
    signal: AbortSignal,
  ) => AsyncIterable<SourceEventBatch<Root>>;
  /** The position after all events of a block. */
  readonly endOf: (block: Head) => Position;
}

/** The sources of past events. */
export interface PastSources {
  readonly feed: ChainFeed;
  /** Pages of all subscriptions take turns. */
  readonly turns: CallerTurns;
  readonly createLoaders: (operation: Operation) => PastLoaders;
}

/**
 * Reads the removed blocks from a block down to the chain of the feed, newest first, and the block of that chain below them. What the feed does not
 * know is decided by the node: its chain may differ from that of the feed, whose events follow.
 */
async function abandonedBlocks({ blocks, finality }: PastLoaders, feed: ChainFeed, from: Data) {
  const isFollowed = ({ height, hash }: Head): boolean => feed.canonicalBlock(height)?.hash === hash;
  const branch: Head[] = [];
  for (let hash = from; branch.length <= MAX_ABANDONED_BLOCKS; hash = branch.at(-1)!.parentHash) {
    const block = await blocks.loader.load(hash, false);
    const head = block && readHead(block);
    if (!head) break;
    branch.push(head);
    // The feed may still emit the block, even if the node has removed it meanwhile.
    const aheadError = positionError(head, feed.head!);
    if (aheadError) throw aheadError;
    const isKnown = feed.canonicalBlock(head.height) !== undefined;
    const isCanonical = isKnown ? isFollowed(head) : await finality.checkCanonical(head.number, head.hash);
    // The node has no block at this height: it lags, or has removed the block without another one.
    if (isCanonical === undefined) throw cursorAheadError();
    if (!isCanonical) continue;
    // Meanwhile the feed may have changed to a chain with a block that was removed before.
    const followed = branch.findIndex(isFollowed);
    const end = followed < 0 ? branch.length - 1 : followed;
    return { removed: branch.slice(0, end), ancestor: branch[end]! };
  }
  throw cursorExpiredError('The block of this cursor');
}

/** The error for a position above the head; undefined for any other, and for a block far above it, of which the node knows more. */
export function positionError({ height, hash }: EventPosition, head: Head): GraphError | undefined {
  const lag = height - head.height;
  if (lag <= 0) return undefined;
  if (lag <= MAX_LAG_BLOCKS) return cursorAheadError();
  if (hash) return undefined;
  const message = `\`fromBlock\` is above the next block: the head of the server is block ${head.height}.`;
  return new GraphError('BLOCK_NOT_AVAILABLE', message, { retryable: false });
}

/**
 * Creates the backlogs of one subscriber of a stream: from any position on, however far in the past. Blocks below the feed's history are read in
 * pages. Each page is one operation, with the limits and the verification of the operation that subscribes, and reads at a block that
 * few reorgs reach. Live batches begin once the pages have reached the history of the feed.
 */
export function createBacklogs<Position extends EventPosition, Root>(
  { feed, turns, createLoaders }: PastSources,
  { origin, budget, trust }: Operation,
  reads: PastReads<Position, Root>,
): (from: Position) => SourceBacklog<Root> {
  const caller = origin?.app ?? origin?.rateLimitKey;
  const limits = budget?.limits;
  const verification = trust?.requested;

  const loadersAt = (block: Data, signal: AbortSignal): PastLoaders =>
    createLoaders({
      ...{ requestId: SOURCE, signal, block, extensions: {}, dependencies: new ResponseDependencies() },
      budget: new OperationBudget(limits),
      trust: verification && new TrustRecord(verification),
    });

  async function* readPast(from: Position, signal: AbortSignal, resume: () => void) {
    let position = from;
    let failingSince: number | undefined;
    let expiredReads = 0;
    for (;;) {
      signal.throwIfAborted();
      const recent = recentEvents(position, signal);
      if (recent) {
        resume();
        return yield* recent;
      }
      const seam = feed.blockBelowHead(SEAM_DEPTH)!;
      const { height, hash } = position;
      if (height >= seam.height && (!hash || feed.canonicalBlock(height)?.hash === hash)) {
        // The feed has not emitted the events of the block yet.
        await abortableSleep(LAG_CHECK_MS, signal);
        continue;
      }
      const read = () => readNext(loadersAt(seam.hash, signal), position, seam);
      const next = await turns.run(caller, read).catch((error: Error) => error);
      const mayLag = height === UNKNOWN_HEIGHT || feed.head!.height - height <= MAX_LAG_BLOCKS;
      if (hasCode(next, 'CURSOR_EXPIRED') && mayLag && ++expiredReads < MAX_EXPIRED_READS)
        await abortableSleep(feed.timing.sourceRetryMs, signal);
      else if (next instanceof Error) failingSince = await waitToRetry(next, failingSince, signal);
      else {
        [failingSince, expiredReads] = [undefined, 0];
        const { events, removed, position: end } = next;
        if (removed) yield* reads.removals(position, removed, signal);
        else if (events.length > 0) yield events;
        position = end;
      }
    }
  }

  /** Reads the next page, or, if a reorg has removed the block of the position, the removed blocks down to the chain. */
  const readNext = async (
    loaders: PastLoaders,
    position: Position,
    seam: Head,
  ): Promise<EventPage<Position, Root> & { readonly removed?: readonly Head[] }> => {
    // The follower may have removed the block of the seam before the feed: then heights would be those of another branch.
    await loaders.snapshot.pin.head();
    try {
      if (position.height < seam.height) return await reads.readPage(loaders, position, seam);
      throw cursorExpiredError('The block of this cursor');
    } catch (error) {
      if (!hasCode(error, 'CURSOR_EXPIRED')) throw error;
      const { removed, ancestor } = await abandonedBlocks(loaders, feed, position.hash!);
      // The feed may still emit the removed blocks. Or the block is canonical: the node has changed its chain twice, or a backend is behind.
      if (ancestor.height > feed.head!.height || ancestor.height === position.height) throw cursorAheadError();
      return { events: [], removed, position: reads.endOf(ancestor) };
    }
  };

  const waitToRetry = async (error: unknown, failingSince = performance.now(), signal: AbortSignal): Promise<number> => {
    const { sourceRetryMs, sourceTimeoutMs } = feed.timing;
    const isRetryable =
      error instanceof GraphError && (error.extensions.retryable || RETRIED_CODES.has(error.code)) && !signal.aborted;
    if (!isRetryable) throw error;
    if (performance.now() - failingSince > sourceTimeoutMs) throw sourceFailedError(SOURCE, error);
    const isMissing = hasCode(error, 'BLOCK_NOT_AVAILABLE');
    // With the next head, this server may have the block that it lacked.
    const sleeper = new Sleeper();
    const unsubscribe = feed.subscribeHeads({ next: () => isMissing && sleeper.wake(), end: () => {} });
    await sleeper.sleep(sourceRetryMs, signal).finally(unsubscribe);
    return failingSince;
  };

  const recentEvents = (position: Position, signal: AbortSignal) => {
    const { head } = feed;
    if (!head) throw unknownHeadError();
    const recent = reads.recentEvents(position, signal);
    const error = recent ? undefined : positionError(position, head);
    if (error) throw error;
    return recent;
  };

  return (from) => (signal, live) => {
    const recent = recentEvents(from, signal);
    if (recent) return recent;
    live.pause();
    return readPast(from, signal, live.resume);
  };
}
