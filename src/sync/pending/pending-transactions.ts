import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import { Sleeper, untilAborted } from '../../lib/abort.ts';
import { GraphError, toGraphError } from '../../lib/errors.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket/connection.ts';
import type { Follower } from '../head/follower.ts';
import { errorLogFields, undefinedIfUnsupported } from '../head/rpc-queries.ts';
import { pollIntervalMs } from '../head/timing.ts';
import { type FeedContext, sourceFailedError } from '../source-health.ts';
import { createAnnouncementReader } from './announcement-reader.ts';

/** Subscriptions to full pending transactions under nonstandard prefixes of nodes, in the order in which they are tried. */
const BY_PREFIX = {
  svc: ['svc_newFullPendingTransactions'],
  alchemy: ['alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions'],
  plain: [],
};

/** The subscriptions to try for a value of `NODE_METHODS`, before the standard `newPendingTransactions`. */
export const fullTransactionSubscriptions = (prefix: 'auto' | keyof typeof BY_PREFIX): readonly string[] =>
  prefix === 'auto' ? [...BY_PREFIX.svc, ...BY_PREFIX.alchemy] : BY_PREFIX[prefix];

export interface PendingTransactionsOptions extends FeedContext {
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
/** Time for which a failed read counts. It is not repeated, so only the read of another hash can show that the node responds again. */
const READ_FAILURE_MS = 10_000;

/** Delay after a failure, and while waiting for a connection. */
const RETRY_DELAY_MS = 1_000;

/**
 * Reads the node's pending transactions: by subscription over one connection after another, or without a connection by
 * polling a filter.
 */
export function createPendingTransactionFeed(options: PendingTransactionsOptions) {
  const { follower, createSource, fullTransactionSubscriptions, timing, sourceHealth, log, emit, fail } = options;
  /** Full transactions have precedence, because each hash costs a call. */
  const candidates: readonly (readonly unknown[])[] = [
    ...fullTransactionSubscriptions.map((name) => [name]),
    ['newPendingTransactions', true],
    ['newPendingTransactions'],
  ];
  /** The supported subscription of each connection that was tried; empty if the connection supports no subscription. */
  const supported = new WeakMap<NodeConnection, readonly (readonly unknown[])[]>();
  const reader = createAnnouncementReader(emit, (error) =>
    error ? reportFailure(error, READ_ITEM, READ_FAILURE_MS) : sourceHealth.clear(SOURCE_NAME, READ_ITEM),
  );
  let hadConnection = follower.connection !== undefined;
  let isSubscribed = false;
  let isFailing = false;
  /** New connections end the pauses of the feed. */
  const sleeper = new Sleeper();
  let controller = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const reportFailure = (error: GraphError, item?: string, forMs?: number) => {
    if (sourceHealth.report(SOURCE_NAME, error, item, forMs) >= timing.sourceTimeoutMs)
      fail(sourceFailedError(SOURCE_NAME, error));
  };

  const reportSuccess = () => {
    isFailing = false;
    sourceHealth.clear(SOURCE_NAME);
  };

  const unsubscribeConnections = follower.onConnection(() => {
    hadConnection = true;
    sleeper.wake();
  });

  /** Opens the first supported subscription until the connection or the signal ends. False if it supports none. */
  const subscribeUntilEnd = async (connection: NodeConnection, signal: AbortSignal): Promise<boolean> => {
    const onEvent = (event: unknown) => reader.add([event], connection, signal);
    let failure: GraphError | undefined;
    for (const params of supported.get(connection) ?? candidates) {
      const unsubscribe = await connection.subscribe(params, onEvent).catch((error) => {
        failure = error;
        return undefinedIfUnsupported(error);
      });
      if (!unsubscribe) continue;
      supported.set(connection, [params]);
      isSubscribed = true;
      reportSuccess();
      await untilAborted(connection.ended, signal);
      isSubscribed = false;
      unsubscribe();
      // The next connection ends this pause.
      await sleeper.sleep(RETRY_DELAY_MS, signal);
      return true;
    }
    // It does not show that the node lacks the subscription, and there is no filter to poll instead.
    if (failure?.extensions.retryable && !createSource) throw failure;
    supported.set(connection, []);
    return false;
  };

  /**
   * Polls a filter until a connection with subscriptions is available. Resolves with false if filters are not supported. Source:
   * `eth_newPendingTransactionFilter`, `eth_getFilterChanges`, `eth_uninstallFilter`.
   */
  const pollFilter = async (source: RpcSender, signal: AbortSignal): Promise<boolean> => {
    const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const [outcome] = await source.send([{ method, params }], signal);
      if ('error' in outcome!) throw outcome.error;
      return outcome!.result;
    };
    const filter = await call('eth_newPendingTransactionFilter').catch((error: unknown) => {
      if (error instanceof GraphError && error.extensions.retryable) throw error;
      return undefinedIfUnsupported(error);
    });
    if (filter === undefined) return false;
    reportSuccess();
    try {
      while (!signal.aborted && !canSubscribe()) {
        const announced = await call('eth_getFilterChanges', filter);
        if (Array.isArray(announced)) reader.add(announced, source, signal);
        await sleeper.sleep(pollIntervalMs(follower.window, timing), signal);
      }
    } finally {
      void source.send([{ method: 'eth_uninstallFilter', params: [filter] }], new AbortController().signal);
    }
    return true;
  };

  const canSubscribe = () => follower.connection !== undefined && supported.get(follower.connection)?.length !== 0;

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
        const failure = toGraphError(error, 'INTERNAL_SERVER_ERROR', 'Reading the pending transactions of the node failed.');
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

const notSupportedError = () => new GraphError('METHOD_NOT_SUPPORTED', 'The node does not announce pending transactions.');

/** A source of pending transactions, which can be started again after it was stopped. */
export type PendingFeed = ReturnType<typeof createPendingTransactionFeed>;
