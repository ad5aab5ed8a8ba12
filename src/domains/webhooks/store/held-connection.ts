import type pg from 'pg';
import { abortableSleep, onAbort } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Database } from './database.ts';

/**
 * Runs a task over a separate connection, whose session locks PostgreSQL releases as soon as the server dies. Repeats
 * the task over a new connection each time it ends, until `stopped` aborts. The signal of the task also aborts when its
 * connection ends. Resolves after the last task; never rejects.
 */
export async function holdConnection(
  database: Pick<Database, 'connect'>,
  retryMs: number,
  stopped: AbortSignal,
  run: (client: pg.Client, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!stopped.aborted) {
    // The log already contains the unavailable database.
    const client = await database.connect().catch(() => undefined);
    if (client && !stopped.aborted) {
      const lost = new AbortController();
      const end = (): void => lost.abort(new GraphError('SHUTTING_DOWN', 'The connection to the database has ended.'));
      client.once('end', end);
      client.on('error', end);
      const unregister = onAbort(stopped, end);
      await run(client, lost.signal).catch(() => {});
      unregister();
    }
    await client?.end().catch(() => {});
    await abortableSleep(retryMs, stopped);
  }
}

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
