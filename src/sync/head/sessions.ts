import { abortableSleep } from '../../lib/abort.ts';
import { connectToNode, type NodeConnectionOptions } from '../../upstream/rpc/websocket/connection.ts';
import type { PollingFallback } from './head-polling.ts';
import type { FollowContext } from './head-state.ts';
import { followHeadSubscription, type HeadSubscriptionEnd } from './head-subscription.ts';
import { asTransientError, errorLogFields } from './rpc-queries.ts';
import { reconnectBackoffMs, requestedRetryDelayMs } from './timing.ts';

type ConnectionOptions = Pick<NodeConnectionOptions, 'url' | 'timeoutMs' | 'maxBatchSize' | 'headerChecks'>;

interface FollowSessionsOptions extends FollowContext, ConnectionOptions {
  /** Started while there is no connection. */
  readonly pollingFallback: Pick<PollingFallback, 'start' | 'stop'> | undefined;
}

/** Follows the chain over one WebSocket after another, with backoff, until the signal aborts. Rejects with fatal errors only. */
export async function followSessions(options: FollowSessionsOptions): Promise<void> {
  const { headState, timing, signal, log, pollingFallback } = options;
  let failures = 0;
  pollingFallback?.start();
  while (!signal.aborted) {
    const { reason, wasHealthy } = await runSession(options).catch(
      (error): HeadSubscriptionEnd => ({ reason: asTransientError(error), wasHealthy: false }),
    );
    if (signal.aborted) break;
    // Throws if the reason is fatal.
    asTransientError(reason);
    headState.expireHeadSoon(reason);
    headState.counts.reconnects += 1;
    failures = wasHealthy ? 0 : failures + 1;
    const isUnsupported = reason.code === 'METHOD_NOT_SUPPORTED';
    const backoff = Math.max(reconnectBackoffMs(failures, timing, Math.random()), requestedRetryDelayMs(reason, timing));
    const waitMs = Math.round(isUnsupported ? timing.unsupportedRetryMs : backoff);
    log.warn({ ...errorLogFields(reason), failures, waitMs }, 'the WebSocket to the node is disconnected; reconnecting');
    pollingFallback?.start();
    await abortableSleep(waitMs, signal);
  }
}

/** Follows one connection from its opening to its end. */
async function runSession(options: FollowSessionsOptions): Promise<HeadSubscriptionEnd> {
  const { headState, timing, signal, log, checkChain, pollingFallback } = options;
  const connection = await connectToNode({ ...options, pingIntervalMs: timing.pingIntervalMs });
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  const onSubscribed = async () => {
    await checkChain(connection, signal);
    // The last poll must end first: only one source at a time may change the head.
    await pollingFallback?.stop();
    headState.setConnection(connection);
    log.info({ node: connection.label }, 'following the heads of the node');
  };
  try {
    return await followHeadSubscription({ connection, headState, timing, signal, onSubscribed });
  } finally {
    signal.removeEventListener('abort', close);
    close();
    headState.removeSource(connection);
  }
}
