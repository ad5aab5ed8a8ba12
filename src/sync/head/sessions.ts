import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connectToNode } from '../../upstream/rpc/websocket.ts';
import type { HeadState } from './head-state.ts';
import { followHeadSubscription, type HeadSubscriptionEnd } from './head-subscription.ts';
import { asTransientError, errorLogFields, type RpcSource } from './rpc-queries.ts';
import { type FollowerTiming, reconnectBackoffMs, requestedRetryDelayMs } from './timing.ts';

export interface FollowSessionsOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly maxBatchSize: number;
  readonly headState: HeadState;
  readonly timing: FollowerTiming;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Asks the source for its chain. Rejects when it is not the one that is served. */
  readonly checkChain: (source: RpcSource, signal: AbortSignal) => Promise<unknown>;
  /** Whoever stands in while there is no connection. */
  readonly pollingFallback: { start(): void; stop(): Promise<void> } | undefined;
}

/** Follows the chain over one connection after the other, without end, until the signal falls. Rejects with what is fatal. */
export async function followSessions(options: FollowSessionsOptions): Promise<void> {
  const { headState, timing, signal, log, pollingFallback } = options;
  let failures = 0;
  pollingFallback?.start();
  while (!signal.aborted) {
    const { reason, wasHealthy } = await runSession(options).catch(
      (error): HeadSubscriptionEnd => ({ reason: asTransientError(error), wasHealthy: false }),
    );
    if (signal.aborted) break;
    asTransientError(reason);
    headState.expireHeadSoon(reason);
    headState.counts.reconnects += 1;
    failures = wasHealthy ? 0 : failures + 1;
    const isPointless = reason.code === 'METHOD_NOT_SUPPORTED';
    const backoff = Math.max(reconnectBackoffMs(failures, timing, Math.random()), requestedRetryDelayMs(reason, timing));
    const waitMs = Math.round(isPointless ? timing.unsupportedRetryMs : backoff);
    log.warn({ ...errorLogFields(reason), failures, waitMs }, 'no WebSocket to the node; it is tried again');
    pollingFallback?.start();
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** One connection, from its opening to its end. */
async function runSession({
  url,
  timeoutMs,
  maxBatchSize,
  headState,
  timing,
  signal,
  log,
  checkChain,
  pollingFallback,
}: FollowSessionsOptions): Promise<HeadSubscriptionEnd> {
  const connection = await connectToNode({ url, timeoutMs, maxBatchSize, signal, pingIntervalMs: timing.pingIntervalMs });
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  const onSubscribed = async () => {
    await checkChain(connection, signal);
    // One at a time says how the chain goes on.
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
