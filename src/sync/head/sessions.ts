import type { Logger } from 'pino';
import { abortableSleep } from '../../lib/abort.ts';
import type { HeaderChecks } from '../../upstream/rpc/rpc-call.ts';
import { connectToNode } from '../../upstream/rpc/websocket/connection.ts';
import type { PollingFallback } from './head-polling.ts';
import type { HeadState } from './head-state.ts';
import { followHeadSubscription, type HeadSubscriptionEnd } from './head-subscription.ts';
import { asTransientError, errorLogFields, type RpcSource } from './rpc-queries.ts';
import { type FollowerTiming, reconnectBackoffMs, requestedRetryDelayMs } from './timing.ts';

export interface FollowSessionsOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly maxBatchSize: number;
  readonly headerChecks: HeaderChecks | undefined;
  readonly headState: HeadState;
  readonly timing: FollowerTiming;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Reads the chain id of the node. Rejects when it is not the served chain. */
  readonly checkChain: (source: RpcSource, signal: AbortSignal) => Promise<unknown>;
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
async function runSession({
  url,
  timeoutMs,
  maxBatchSize,
  headerChecks,
  headState,
  timing,
  signal,
  log,
  checkChain,
  pollingFallback,
}: FollowSessionsOptions): Promise<HeadSubscriptionEnd> {
  const { pingIntervalMs } = timing;
  const connection = await connectToNode({ url, timeoutMs, maxBatchSize, headerChecks, signal, pingIntervalMs });
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
