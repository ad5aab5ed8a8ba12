import type pg from 'pg';
import type { Database } from './database.ts';

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
export function startListener({ database, channel, notified, connected, disconnected = () => {} }: ListenerOptions) {
  let isStopped = false;
  let client: pg.Client | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;

  const listen = async (): Promise<void> => {
    try {
      const connection = await database.connect();
      if (isStopped) return await connection.end();
      client = connection;
      connection.on('notification', ({ payload = '' }) => notified(payload));
      connection.once('end', reconnect);
      await connection.query(`listen ${channel}`);
      connected();
    } catch {
      reconnect();
    }
  };
  const reconnect = (): void => {
    const closed = client;
    client = undefined;
    closed?.removeAllListeners('end');
    closed?.end().catch(() => {});
    if (closed) disconnected();
    clearTimeout(reconnectTimer);
    if (!isStopped) reconnectTimer = setTimeout(listen, RECONNECT_INTERVAL_MS);
  };
  const check = (): void => {
    const checked = client;
    // Has no effect on a connection that listens, and keeps it recognizable in pg_stat_activity.
    checked?.query(`listen ${channel}`).catch(() => {
      if (checked === client) reconnect();
    });
  };
  const checkTimer = setInterval(check, CHECK_INTERVAL_MS);
  checkTimer.unref();
  void listen();

  return {
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(checkTimer);
      clearTimeout(reconnectTimer);
      client?.removeAllListeners('end');
      await client?.end().catch(() => {});
    },
  };
}
