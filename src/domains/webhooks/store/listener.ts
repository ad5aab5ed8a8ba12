import type pg from 'pg';
import { abortableSleep } from '../../../lib/abort.ts';
import type { Database } from './database.ts';
import { ignoreError } from './statements.ts';

const RECONNECT_INTERVAL_MS = 500;
/** Interval of the statements that find a connection which was lost without a close. */
const CHECK_INTERVAL_MS = 5_000;

export interface ListenerOptions {
  readonly database: Database;
  readonly channel: string;
  /** Called with the payload of each notification. */
  readonly notified: (payload: string) => void;
  /** Called when the channel is listened to, at the start and after each reconnect: later notifications arrive. */
  readonly connected: () => void;
  /** Called when the connection is lost: notifications may be missed until `connected`. */
  readonly disconnected?: () => void;
}

/** Listens to a channel of PostgreSQL over a separate connection, which reconnects. */
export function startListener({ database, channel, notified, connected, disconnected }: ListenerOptions) {
  const stopping = new AbortController();
  let client: pg.Client | undefined;

  const listen = async (): Promise<void> => {
    const connection = await database.connect();
    const closing = new AbortController();
    const signal = AbortSignal.any([closing.signal, stopping.signal]);
    client = connection;
    connection.on('notification', ({ payload = '' }) => notified(payload));
    connection.once('end', () => closing.abort());
    try {
      await connection.query(`listen ${channel}`);
      connected();
      // Has no effect on a connection that listens, and keeps it recognizable in pg_stat_activity.
      while (await abortableSleep(CHECK_INTERVAL_MS, signal)) await connection.query(`listen ${channel}`);
    } finally {
      disconnected?.();
      connection.end().catch(ignoreError);
    }
  };
  const listenUntilStopped = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await listen().catch(ignoreError);
      await abortableSleep(RECONNECT_INTERVAL_MS, stopping.signal);
    }
  };
  void listenUntilStopped();

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await client?.end().catch(ignoreError);
    },
  };
}
