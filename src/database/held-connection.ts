import type pg from 'pg';
import { abortableSleep, onAbort, untilAborted } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import type { Database } from './database.ts';

/** Interval of the statements that find a connection which was lost without a close. */
const CHECK_INTERVAL_MS = 5_000;

/**
 * Runs a task over a separate connection, whose session locks PostgreSQL releases as soon as the server dies. Repeats
 * the task over a new connection each time it ends, until `stop` is called. The signal of the task also aborts when its
 * connection ends or does not respond.
 */
export function holdConnection(
  database: Pick<Database, 'connect'>,
  retryMs: number,
  run: (client: pg.Client, signal: AbortSignal) => Promise<void>,
) {
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  const repeat = async (): Promise<void> => {
    while (!stopped.aborted) {
      // The log already contains the unavailable database.
      const client = await database.connect().catch(() => undefined);
      if (client && !stopped.aborted) {
        const lost = new AbortController();
        const end = (): void => lost.abort(new GraphError('SHUTTING_DOWN', 'The connection to the database has ended.'));
        client.once('end', end);
        client.on('error', end);
        const unregister = onAbort(stopped, end);
        void checkConnection(client, lost.signal).catch(end);
        await run(client, lost.signal).catch(() => {});
        unregister();
      }
      await client?.end().catch(() => {});
      await abortableSleep(retryMs, stopped);
    }
  };
  const ended = repeat();
  return {
    /** Stops. Resolves when the task has ended and its connection is closed. Never rejects. */
    stop(): Promise<void> {
      stopping.abort();
      return ended;
    },
  };
}

/** Rejects when a connection does not respond; its locks may belong to another server. */
async function checkConnection(client: pg.Client, signal: AbortSignal): Promise<void> {
  while (await abortableSleep(CHECK_INTERVAL_MS, signal)) await client.query('select 1');
}

const RECONNECT_INTERVAL_MS = 500;

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
export const startListener = ({ database, channel, notified, connected, disconnected }: ListenerOptions) =>
  holdConnection(database, RECONNECT_INTERVAL_MS, async (client, signal) => {
    client.on('notification', ({ payload = '' }) => notified(payload));
    try {
      await client.query(`listen ${channel}`);
      connected();
      await untilAborted(new Promise(() => {}), signal);
    } finally {
      disconnected?.();
    }
  });
