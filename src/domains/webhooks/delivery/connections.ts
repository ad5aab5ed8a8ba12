import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { loadClient } from '../store/database.ts';

/** Connections of the deliveries of one server, the one that listens included. */
const MAX_CONNECTIONS = 10;
const QUERY_TIMEOUT_MS = 5_000;
/** How long deliveries wait for the database after a failure. */
const RETRY_INTERVAL_MS = 500;

/** Creates connections of the deliveries' own, so that many attempts do not delay the requests that read the store. */
export async function createDeliveryConnections(connectionString: string, log: Logger): Promise<pg.Pool> {
  const { Pool } = await loadClient();
  const pool = new Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
    application_name: 'grimoire deliveries',
    keepAlive: true,
  });
  const onError = (err: Error): void => log.debug({ err }, 'a connection of the deliveries has failed');
  pool.on('error', onError);
  // A connection that fails during a statement emits the error as well as rejecting the statement.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** Runs statements until the database has executed them. Rejects only when the signal aborts. */
export async function untilStored<T>(run: () => Promise<T>, { signal, log }: { signal: AbortSignal; log: Logger }): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (err) {
      if (signal.aborted) throw err;
      log.debug({ err }, 'the deliveries of webhooks wait for the database');
      await delay(RETRY_INTERVAL_MS);
    }
  }
}

/**
 * The same connections for the job queue: `connect` tries until the database responds. The queue prints each failure and ends its workers
 * otherwise. Once the pool has ended, `connect` does not settle.
 */
export function untilConnected(pool: pg.Pool): pg.Pool {
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return await pool.connect();
      } catch {
        if (pool.ending) return new Promise(() => {});
        await delay(RETRY_INTERVAL_MS, undefined, { ref: false });
      }
    }
  };
  const connectAgain: pg.Pool['connect'] = (callback?: Parameters<pg.Pool['connect']>[0]) =>
    (callback ? pool.connect(callback) : connect()) as Promise<pg.PoolClient>;
  return Object.create(pool, { connect: { value: connectAgain } });
}
