import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connect } from '../../upstream/rpc/websocket.ts';
import type { Track } from './head-state.ts';
import { followSocket, type SocketEnd } from './head-subscription.ts';
import { asPassing, factsOf, type Source } from './rpc-queries.ts';
import { backoffAfter, retryAfter, type Timing } from './timing.ts';

export interface SessionsOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly batch: number;
  readonly track: Track;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Asks the source for its chain. Rejects when it is not the one that is served. */
  readonly check: (source: Source, signal: AbortSignal) => Promise<unknown>;
  /** Whoever stands in while there is no connection. */
  readonly polls: { start(): void; stop(): Promise<void> } | undefined;
}

/** Follows the chain over one connection after the other, without end, until the signal falls. Rejects with what is fatal. */
export async function followSessions(options: SessionsOptions): Promise<void> {
  const { track, timing, signal, log, polls } = options;
  let failures = 0;
  polls?.start();
  while (!signal.aborted) {
    const { reason, healthy } = await session(options).catch(
      (error): SocketEnd => ({ reason: asPassing(error), healthy: false }),
    );
    if (signal.aborted) break;
    asPassing(reason);
    track.doubt(reason);
    track.counts.reconnects += 1;
    failures = healthy ? 0 : failures + 1;
    const isPointless = reason.code === 'METHOD_NOT_SUPPORTED';
    const backoff = Math.max(backoffAfter(failures, timing, Math.random()), retryAfter(reason, timing));
    const waitMs = Math.round(isPointless ? timing.unsupported : backoff);
    log.warn({ ...factsOf(reason), failures, waitMs }, 'no WebSocket to the node; it is tried again');
    polls?.start();
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** One connection, from its opening to its end. */
async function session({ url, timeoutMs, batch, track, timing, signal, log, check, polls }: SessionsOptions): Promise<SocketEnd> {
  const connection = await connect({ url, timeoutMs, batch, signal, pingMs: timing.ping });
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  const onSubscribed = async () => {
    await check(connection, signal);
    // One at a time says how the chain goes on.
    await polls?.stop();
    track.gain(connection);
    log.info({ node: connection.label }, 'following the heads of the node');
  };
  try {
    return await followSocket({ connection, track, timing, signal, onSubscribed });
  } finally {
    signal.removeEventListener('abort', close);
    close();
    track.lose(connection);
  }
}
