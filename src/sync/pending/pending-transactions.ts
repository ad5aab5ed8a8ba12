import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import { Sleeper, untilAborted } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket/connection.ts';
import type { Follower } from '../head/follower.ts';
import { errorLogFields, undefinedIfUnsupported } from '../head/rpc-queries.ts';
import { pollIntervalMs } from '../head/timing.ts';
import { type FeedContext, sourceFailedError } from '../source-health.ts';
import { createPendingReader } from './pending-reader.ts';

/** Subscriptions to full pending transactions that nodes offer under a prefix of their own, in the order in which to try them. */
const BY_PREFIX = {
  svc: ['svc_newFullPendingTransactions'],
  alchemy: ['alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions'],
  plain: [],
};

/** The subscriptions to try for a value of `NODE_METHODS`, before the standard `newPendingTransactions`. */
export const fullTransactionSubscriptions = (prefix: 'auto' | keyof typeof BY_PREFIX): readonly string[] =>
  prefix === 'auto' ? [...BY_PREFIX.svc, ...BY_PREFIX.alchemy] : BY_PREFIX[prefix];

/**
 * Creates a filter of pending transaction hashes on the node; undefined if the node has no filters. Source:
 * `eth_newPendingTransactionFilter`.
 */
const createPendingFilter = (source: RpcSender, signal: AbortSignal): Promise<unknown> =>
  sendCall(source, signal, 'eth_newPendingTransactionFilter').catch(undefinedIfUnsupported);

/** Reads what was announced since the last read. Source: `eth_getFilterChanges`. */
async function readPendingFilter(source: RpcSender, signal: AbortSignal, filter: unknown): Promise<readonly unknown[]> {
  const announced = await sendCall(source, signal, 'eth_getFilterChanges', filter);
  return Array.isArray(announced) ? announced : [];
}

/** Removes a filter from the node without waiting for the response. Source: `eth_uninstallFilter`. */
function uninstallPendingFilter(source: RpcSender, filter: unknown): void {
  void source.send([{ method: 'eth_uninstallFilter', params: [filter] }], new AbortController().signal);
}

async function sendCall(source: RpcSender, signal: AbortSignal, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const [outcome] = await source.send([{ method, params }], signal);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.result;
}

interface PendingTransactionsOptions extends FeedContext {
  readonly follower: Pick<Follower, 'connection' | 'onConnection' | 'status' | 'window'>;
  /** Names of `eth_subscribe` subscriptions to full pending transactions, in the order in which they are tried. */
  readonly fullTransactionSubscriptions: readonly string[];
  readonly emit: (transaction: RpcTransaction) => void;
  /** Called when the node supports neither subscriptions nor filters, or has failed for `sourceTimeoutMs`. */
  readonly fail: (error: GraphError) => void;
}

const SOURCE_NAME = 'pendingTransactions';
/** The reads of announced hashes fail independently of the announcements. */
const READ_ITEM = 'transactions';

/** Delay after a failure, and while waiting for a connection. */
const RETRY_DELAY_MS = 1_000;

/** Reads the node's pending transactions: by subscription over one connection after another, by polling a filter without one. */
export function createPendingTransactionFeed(options: PendingTransactionsOptions) {
  const { follower, createSource, fullTransactionSubscriptions, timing, sourceHealth, log, emit, fail } = options;
  /** Full transactions first: each hash costs a call. */
  const candidates: readonly (readonly unknown[])[] = [
    ...fullTransactionSubscriptions.map((name) => [name]),
    ['newPendingTransactions', true],
    ['newPendingTransactions'],
  ];
  /** The supported subscription of each connection that was tried; undefined if it supports none. */
  const supported = new WeakMap<NodeConnection, readonly unknown[] | undefined>();
  const reader = createPendingReader(emit, (error) =>
    error ? reportFailure(error, READ_ITEM) : sourceHealth.clear(SOURCE_NAME, READ_ITEM),
  );
  let hadConnection = follower.connection !== undefined;
  let isSubscribed = false;
  let isFailing = false;
  /** New connections end its pauses. */
  const sleeper = new Sleeper();
  let controller = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const reportFailure = (error: GraphError, item?: string) => {
    if (sourceHealth.report(SOURCE_NAME, error, item) >= timing.sourceTimeoutMs) fail(sourceFailedError(SOURCE_NAME, error));
  };

  const reportSuccess = () => {
    isFailing = false;
    sourceHealth.clear(SOURCE_NAME);
  };

  const unsubscribeConnections = follower.onConnection(() => {
    hadConnection = true;
    sleeper.wake();
  });

  /** Opens the first supported subscription until the connection or the signal ends. Resolves with false if none is supported. */
  const subscribeUntilEnd = async (connection: NodeConnection, signal: AbortSignal): Promise<boolean> => {
    const onEvent = (event: unknown) => reader.addAnnounced([event], connection, signal);
    for (const params of supported.has(connection) ? [supported.get(connection)] : candidates) {
      const unsubscribe = params && (await connection.subscribe(params, onEvent).catch(undefinedIfUnsupported));
      if (!unsubscribe) continue;
      supported.set(connection, params);
      isSubscribed = true;
      reportSuccess();
      await untilAborted(connection.ended, signal);
      isSubscribed = false;
      unsubscribe();
      // The next connection ends this pause.
      await sleeper.sleep(RETRY_DELAY_MS, signal);
      return true;
    }
    supported.set(connection, undefined);
    return false;
  };

  /** Polls a filter until a connection with subscriptions is available. Resolves with false if filters are not supported. */
  const pollFilter = async (source: RpcSender, signal: AbortSignal): Promise<boolean> => {
    const filter = await createPendingFilter(source, signal);
    if (filter === undefined) return false;
    reportSuccess();
    try {
      while (!signal.aborted && !canSubscribe()) {
        reader.addAnnounced(await readPendingFilter(source, signal, filter), source, signal);
        await sleeper.sleep(pollIntervalMs(follower.window, timing), signal);
      }
    } finally {
      uninstallPendingFilter(source, filter);
    }
    return true;
  };

  const canSubscribe = () =>
    follower.connection !== undefined && !(supported.has(follower.connection) && !supported.get(follower.connection));

  const readOnce = async (signal: AbortSignal): Promise<void> => {
    const { connection, status } = follower;
    if (connection && (await subscribeUntilEnd(connection, signal))) return;
    if (connection || status.transport === 'polling') {
      if (createSource && (await pollFilter(createSource(), signal))) return;
      // A node that is disconnected now may support subscriptions after it reconnects.
      if (connection || !hadConnection) fail(notSupportedError());
    }
    await sleeper.sleep(RETRY_DELAY_MS, signal);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await readOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof GraphError ? error : internalError(error);
        if (!isFailing) log.warn(errorLogFields(failure), 'reading the pending transactions of the node failed; retrying');
        isFailing = true;
        reportFailure(failure);
        await sleeper.sleep(RETRY_DELAY_MS, signal);
      }
    }
  };

  return {
    start(): void {
      controller = new AbortController();
      const { signal } = controller;
      running = running.then(() => run(signal));
    },
    stop(): void {
      controller.abort();
      sourceHealth.clear(SOURCE_NAME);
      sourceHealth.clear(SOURCE_NAME, READ_ITEM);
    },
    get isSubscribed(): boolean {
      return isSubscribed;
    },
    /** Stops permanently; resolves when no request is in flight. */
    close(): Promise<void> {
      controller.abort();
      unsubscribeConnections();
      return running;
    },
  };
}

const internalError = (cause: unknown) =>
  new GraphError('INTERNAL_SERVER_ERROR', 'Reading the pending transactions of the node failed.', { cause });

const notSupportedError = () => new GraphError('METHOD_NOT_SUPPORTED', 'The node does not announce pending transactions.');
