import { delay, delayBefore } from './backoff.ts';
import type { Document } from './documents.ts';
import { followResults, type ResumeOptions } from './follow.ts';
import { type SubscriptionClient, SubscriptionError } from './results.ts';
import { isFatal } from './retry.ts';
import type { ScalarInputs } from './scalars.ts';
import { toHex, toNumber } from './values.ts';

/** One step of the chain for a store: logs to add or logs to remove, with the position after them. */
export interface SyncPage<Log = unknown> {
  /** Logs of the canonical chain, in ascending order. */
  readonly added: readonly Log[];
  /** Logs of blocks that a reorg has removed, last first: undo them in this order. Empty unless `added` is. */
  readonly removed: readonly Log[];
  /** Position after the page, for `SyncStore.position`. */
  readonly cursor: string;
  /** Position before the page: what `SyncStore.position` has returned. Undefined for the first page. */
  readonly after: string | undefined;
  /** Height of the last block whose logs the store has after the page. */
  readonly searchedTo: number;
}

/** A place for logs and the position of a sync, for example a database. */
export interface SyncStore<Log = unknown> {
  /** Returns the `cursor` of the last applied page; undefined before the first one. */
  position(): Promise<string | undefined>;
  /**
   * Applies a page and stores its `cursor`, both in one transaction. Throws a PositionConflictError, and changes nothing, if the position is
   * no longer `page.after`.
   */
  apply(page: SyncPage<Log>): Promise<void>;
  /**
   * Undoes the last applied page and restores the position before it, in one transaction. Returns false if the store cannot. Called when the
   * node no longer has the block of the position: once, then twice, four times, until the server has the block of the position; the undone
   * pages of the chain are applied again. Without it, `sync` throws CURSOR_EXPIRED.
   */
  rollback?(cursor: string): Promise<boolean>;
  /** Whether an error of the store may disappear without a change of the program, such as a lost connection. False by default. */
  isRetryable?(error: unknown): boolean;
}

/** Another process, or a transaction whose outcome was unknown, has moved the position of a store. `sync` continues from the new one. */
export class PositionConflictError extends Error {
  override readonly name = 'PositionConflictError';

  constructor() {
    super(
      'The position of the store has changed. Another process syncs under the same name, or an earlier transaction was committed.',
    );
  }
}

/** `LogSubscriptionFilter` of the graph. */
export interface LogFilterInput {
  readonly addresses?: readonly string[] | undefined;
  readonly topics?: readonly (readonly string[])[] | undefined;
}

/** Data of a subscription to `logPages`, as `sync` reads it. */
export interface LogPagesData<Log> {
  readonly logPages: { readonly cursor: string; readonly searchedTo: string; readonly nodes: readonly Log[] };
}

/** The logs to sync and their fields. */
export type LogSelection<Log> = {
  /** All logs by default. Keep the filter of a position: the logs before it are not read again. */
  readonly filter?: LogFilterInput | undefined;
} & (
  | {
      /** Fields of `Log`, as in a document: `account { address } topics data`. */
      readonly fields: string;
      readonly query?: undefined;
    }
  | {
      /**
       * A subscription to `logPages` that passes its variables `$fromBlock`, `$after` and `$filter` on, with `chain` also `$chainId`, and selects
       * `cursor`, `searchedTo` and `nodes { removed }`.
       */
      readonly query: Document<LogPagesData<Log>, never>;
      readonly fields?: undefined;
    }
);

export interface SyncOptions<Log> extends ResumeOptions {
  readonly client: SubscriptionClient;
  readonly logs: LogSelection<Log>;
  /** Id of the chain. The default chain of the server if omitted. A position belongs to one chain. */
  readonly chain?: ScalarInputs['ChainId'] | undefined;
  /** Height of the first block while the store has no position. By default the next block. */
  readonly from?: number | bigint | string | undefined;
  readonly store: SyncStore<Log>;
  /** Ends the sync after the page that is being applied. */
  readonly signal?: AbortSignal | undefined;
}

/** The subscription to the given fields of logs. */
export const syncDocument = (fields: string): string =>
  `subscription Sync($fromBlock: Long, $after: String, $filter: LogSubscriptionFilter, $chainId: ChainId) {
  logPages(fromBlock: $fromBlock, after: $after, filter: $filter, chainId: $chainId) { cursor searchedTo nodes { removed ${fields} } }
}`;

/**
 * Writes the logs of the chain into a store and follows the chain, without end. Resolves when the signal is aborted. Starts after the position of the
 * store, so that each page is applied exactly once, also when the process or the store is killed at any time. After a reorg, the removed logs
 * arrive first.
 *
 * After an interruption of the subscription or of the store it continues from the position of the store. Throws errors that would recur: a
 * SubscriptionError of the server, an HttpError of refused credentials, and an error of the store that is not `isRetryable`.
 */
export async function sync<Log = Record<string, unknown>>(options: SyncOptions<Log>): Promise<void> {
  const { store, backoff, maxAttempts = Number.POSITIVE_INFINITY, onInterruption } = options;
  const signal = options.signal ?? new AbortController().signal;
  const progress: Progress = { attempt: 0, undoPages: 1, hasStart: true };
  while (!signal.aborted) {
    try {
      await applyPages(options, signal, progress);
      return;
    } catch (reason) {
      const isStoreFailure = reason instanceof StoreFailure;
      const error = isStoreFailure ? reason.cause : reason;
      const isConflict = error instanceof PositionConflictError;
      // A conflict is no failure: another process has applied a page.
      const attempt = isConflict ? Math.min(progress.attempt, maxAttempts - 1) : progress.attempt;
      if (signal.aborted && !isStoreFailure) return;
      if (reason instanceof RolledBack) {
        // The server waits for a lagging node before a cursor expires: undoing one page at a time would take long.
        progress.undoPages *= 2;
        onInterruption?.({ error: reason.cause, delayMs: 0, attempt, isLossless: true });
        continue;
      }
      const thrown = error instanceof FailedPage ? error.cause : error;
      const isRetryable = isStoreFailure
        ? isConflict || store.isRetryable?.(error)
        : error instanceof FailedPage && !isFatal(thrown);
      if (!isRetryable || attempt >= maxAttempts) throw thrown;
      const delayMs = delayBefore(attempt, backoff);
      progress.attempt = attempt + 1;
      onInterruption?.({ error: thrown, delayMs, attempt: progress.attempt, isLossless: progress.hasStart });
      await delay(delayMs, signal);
    }
  }
}

/** What follows the next failure; as at the start again after each applied page. */
interface Progress {
  /** Number of failures in a row. */
  attempt: number;
  /** Number of pages to undo if the position has expired. */
  undoPages: number;
  /** Whether the next subscription begins where the last one did, or after a page: without `from`, not before the first page. */
  hasStart: boolean;
  /** Height of the first block of a sync without `from`, once its first page has arrived. */
  firstBlock?: number;
}

/** Applies the pages after the position of the store until the subscription ends. Undoes pages if the position has expired. */
async function applyPages<Log>(options: SyncOptions<Log>, signal: AbortSignal, progress: Progress): Promise<void> {
  const { client, logs, chain, from, store, backoff, maxAttempts, onInterruption, shouldResume } = options;
  let after = await inStore(() => store.position());
  const first = from ?? (after === undefined ? progress.firstBlock : undefined);
  progress.hasStart = (after ?? first) !== undefined;
  const fromBlock = typeof first === 'bigint' ? toHex(first) : first;
  const results = followResults<LogPagesData<Log>, Record<string, unknown>>(client, {
    ...{ backoff, maxAttempts, onInterruption, shouldResume, signal, chain, after },
    query: (logs.query ?? syncDocument(logs.fields)) as Document<LogPagesData<Log>, Record<string, unknown>>,
    variables: { ...(fromBlock !== undefined && { fromBlock }), ...(logs.filter && { filter: logs.filter }) },
  });
  try {
    for await (const { data, errors } of results) {
      // A field that has failed is null: storing it would lose its value.
      const failure =
        data === null || (errors && errors.length > 0) ? new FailedPage(new SubscriptionError(errors ?? [])) : undefined;
      if (data === null) throw failure;
      const page = pageOf(data, after);
      progress.hasStart = true;
      // Without `from`, the next subscription would begin at a later block if the page or the store fails.
      if (after === undefined) progress.firstBlock ??= page.searchedTo + (page.removed.length > 0 ? 1 : 0);
      if (failure) throw failure;
      // The blocks below the start: the store has none of their logs.
      if (after === undefined && page.removed.length > 0) continue;
      await inStore(() => store.apply(page));
      after = page.cursor;
      [progress.attempt, progress.undoPages] = [0, 1];
      if (signal.aborted) return;
    }
  } catch (error) {
    const isExpired = error instanceof SubscriptionError && error.code === 'CURSOR_EXPIRED';
    if (!isExpired || !(await inStore(() => undo(store, after, progress.undoPages)))) throw error;
    // Without a position the subscription would begin at the next block.
    if (from === undefined && (await inStore(() => store.position())) === undefined) throw error;
    throw new RolledBack('The store has been rolled back.', { cause: error });
  } finally {
    void results.return?.();
  }
}

/** Undoes at most `pages` pages before a position. Returns false if there is none. */
async function undo<Log>(store: SyncStore<Log>, from: string | undefined, pages: number): Promise<boolean> {
  let position = from;
  for (let i = 0; i < pages; i++) {
    if (position === undefined || !(await store.rollback?.(position))) return i > 0;
    position = await store.position();
  }
  return true;
}

function pageOf<Log>({ logPages }: LogPagesData<Log>, after: string | undefined): SyncPage<Log> {
  const { nodes, cursor, searchedTo } = logPages ?? {};
  if (!nodes || searchedTo === undefined || nodes.some((log) => typeof (log as Removable).removed !== 'boolean'))
    throw new Error(
      'The page is incomplete. Select `cursor`, `searchedTo` and `nodes { removed }` of logPages, without aliases.',
    );
  const isRemoval = (nodes[0] as Removable | undefined)?.removed === true;
  const [added, removed] = isRemoval ? [[], nodes] : [nodes, []];
  return { added, removed, cursor, after, searchedTo: toNumber(searchedTo) };
}

interface Removable {
  readonly removed?: unknown;
}

/** An error of the store. */
class StoreFailure extends Error {}

/** A page with the errors of its fields. */
class FailedPage extends Error {
  constructor(cause: SubscriptionError) {
    super(cause.message, { cause });
  }
}

/** The store has an earlier position. */
class RolledBack extends Error {}

async function inStore<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new StoreFailure('The store has failed.', { cause });
  }
}
