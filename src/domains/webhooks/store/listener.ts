import { abortableSleep } from '../../../lib/abort.ts';
import type { Database } from './database.ts';
import { holdConnection } from './held-connection.ts';

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
  const ended = holdConnection(database, RECONNECT_INTERVAL_MS, stopping.signal, async (client, signal) => {
    client.on('notification', ({ payload = '' }) => notified(payload));
    try {
      await client.query(`listen ${channel}`);
      connected();
      // Has no effect on a connection that listens, but makes the connection recognizable in pg_stat_activity.
      while (await abortableSleep(CHECK_INTERVAL_MS, signal)) await client.query(`listen ${channel}`);
    } finally {
      disconnected?.();
    }
  });

  return {
    stop(): Promise<void> {
      stopping.abort();
      return ended;
    },
  };
}
