import type { Logger } from 'pino';
import { GraphError } from '../../errors.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket.ts';
import type { Follower } from '../head/follower.ts';
import { errorLogFields, isUnavailable, type RpcSource } from '../head/rpc-queries.ts';
import { type FollowerTiming, pollIntervalMs } from '../head/timing.ts';
import { type SourceHealth, sourceFailedError } from '../source-health.ts';
import { createPendingReader } from './pending-reader.ts';

export interface PendingTransactionsOptions {
  readonly follower: Pick<Follower, 'connection' | 'onConnection' | 'status' | 'window'>;
  /** Opens a way to the node where there is no connection. */
  readonly createSource: (() => RpcSource) | undefined;
  /** Subscriptions to whole transactions that a node may have, in the order in which they are tried. */
  readonly fullTransactionSubscriptions: readonly string[];
  readonly timing: FollowerTiming;
  /** Is told when the node cannot be heard, under `pendingTransactions`. */
  readonly sourceHealth: SourceHealth;
  readonly log: Logger;
  readonly emit: (transaction: RpcTransaction) => void;
  /** Called when the node has no way to tell. */
  readonly fail: (error: GraphError) => void;
}

/** Has the node announce its pending transactions: over one connection after the other, or to polls where there is none. */
export interface PendingTransactionFeed {
  start(): void;
  stop(): void;
  /** Whether there is a subscription now. */
  readonly isSubscribed: boolean;
  /** Resolves when nothing is left. */
  close(): Promise<void>;
}

const SOURCE_NAME = 'pendingTransactions';
/** The look-ups of announced hashes, beside the announcements themselves. */
const LOOKUP_ITEM = 'look-ups';

/** Parameters of `eth_subscribe`. */
type SubscribeParams = readonly unknown[];

/** How long it is waited after a failure, or for a connection. */
const RETRY_DELAY_MS = 1_000;

export function createPendingTransactionFeed({
  follower,
  createSource,
  fullTransactionSubscriptions,
  timing,
  sourceHealth,
  log,
  emit,
  fail,
}: PendingTransactionsOptions): PendingTransactionFeed {
  /** Whole ones first: hashes cost a call each. */
  const kinds: readonly SubscribeParams[] = [
    ...fullTransactionSubscriptions.map((name) => [name]),
    ['newPendingTransactions', true],
    ['newPendingTransactions'],
  ];
  /** Which kind a connection has; undefined where it has been found to have none. */
  const found = new WeakMap<NodeConnection, SubscribeParams | undefined>();
  const reader = createPendingReader(emit, (error) =>
    error ? failed(error, LOOKUP_ITEM) : sourceHealth.clear(SOURCE_NAME, LOOKUP_ITEM),
  );
  let hadConnection = follower.connection !== undefined;
  let isSubscribed = false;
  let isFailing = false;
  let wake: (() => void) | undefined;
  let controller = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const failed = (error: GraphError, item?: string) => {
    if (sourceHealth.report(SOURCE_NAME, error, item) >= timing.sourceTimeoutMs) fail(sourceFailedError(SOURCE_NAME, error));
  };

  const works = () => {
    isFailing = false;
    sourceHealth.clear(SOURCE_NAME);
  };

  const forgetConnections = follower.onConnection(() => {
    hadConnection = true;
    wake?.();
  });

  /** Waits for so long, but not when there is another connection. */
  const rest = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, signal.aborted ? 0 : ms);
      signal.addEventListener('abort', end, { once: true });
      wake = end;
    });

  /** Subscribes by the first kind that the node has; resolves when the connection or the signal has ended, with false when it has none. */
  const overConnection = async (connection: NodeConnection, signal: AbortSignal): Promise<boolean> => {
    const onEvent = (event: unknown) => reader.addAnnounced([event], connection, signal);
    for (const kind of found.has(connection) ? [found.get(connection)] : kinds) {
      const unsubscribe = kind && (await connection.subscribe(kind, onEvent).catch(undefinedIfUnsupported));
      if (!unsubscribe) continue;
      found.set(connection, kind);
      isSubscribed = true;
      works();
      await waitForEnd(connection, signal);
      isSubscribed = false;
      unsubscribe();
      // The next connection ends this rest.
      await rest(RETRY_DELAY_MS, signal);
      return true;
    }
    found.set(connection, undefined);
    return false;
  };

  /** Polls a filter until there is a connection that may be better, or the signal falls; false when the node has no filters. */
  const overPolls = async (source: RpcSource, signal: AbortSignal): Promise<boolean> => {
    const filter = await sendCall(source, signal, 'eth_newPendingTransactionFilter').catch(undefinedIfUnsupported);
    if (filter === undefined) return false;
    works();
    try {
      while (!signal.aborted && !hasUntried()) {
        const announced = await sendCall(source, signal, 'eth_getFilterChanges', filter);
        if (Array.isArray(announced)) reader.addAnnounced(announced, source, signal);
        await rest(pollIntervalMs(follower.window, timing), signal);
      }
    } finally {
      void source.send([{ method: 'eth_uninstallFilter', params: [filter] }], new AbortController().signal);
    }
    return true;
  };

  const hasUntried = () =>
    follower.connection !== undefined && !(found.has(follower.connection) && !found.get(follower.connection));

  const once = async (signal: AbortSignal): Promise<void> => {
    const { connection, status } = follower;
    if (connection && (await overConnection(connection, signal))) return;
    if (connection || status.transport === 'polling') {
      if (createSource && (await overPolls(createSource(), signal))) return;
      // A connection that is away for a while may come back with what it had.
      if (connection || !hadConnection) fail(notSupportedError());
    }
    await rest(RETRY_DELAY_MS, signal);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(signal);
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof GraphError ? error : internalError(error);
        if (!isFailing) log.warn(errorLogFields(failure), 'the node does not announce pending transactions; it is asked again');
        isFailing = true;
        failed(failure);
        await rest(RETRY_DELAY_MS, signal);
      }
    }
  };

  return {
    start() {
      controller = new AbortController();
      const { signal } = controller;
      running = running.then(() => run(signal));
    },
    stop() {
      controller.abort();
      sourceHealth.clear(SOURCE_NAME);
      sourceHealth.clear(SOURCE_NAME, LOOKUP_ITEM);
    },
    get isSubscribed() {
      return isSubscribed;
    },
    close() {
      controller.abort();
      forgetConnections();
      return running;
    },
  };
}

/** Resolves when either has ended. */
const waitForEnd = (connection: NodeConnection, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    void connection.ended.then(end);
  });

async function sendCall(source: RpcSource, signal: AbortSignal, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const [outcome] = await source.send([{ method, params }], signal);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.result;
}

/** A node that has answered so does not have what it was asked for. */
function undefinedIfUnsupported(error: unknown): undefined {
  if (!(error instanceof GraphError) || isUnavailable(error)) throw error;
}

const internalError = (cause: unknown) =>
  new GraphError('INTERNAL_SERVER_ERROR', 'Listening to pending transactions failed.', { cause });

const notSupportedError = () => new GraphError('METHOD_NOT_SUPPORTED', 'The node does not announce pending transactions.');
