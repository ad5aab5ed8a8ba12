import { setTimeout as delay } from 'node:timers/promises';
import type { Logger as QueueLogger } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectionOptions, loadClient } from '../../../database/database.ts';
import { ADVISORY_LOCKS } from '../../../database/migrations.ts';
import type { Query } from '../../../database/statements.ts';
import { abortableSleep } from '../../../lib/abort.ts';

/** Maximum number of connections for the deliveries of one server, the listening connection included. */
const MAX_CONNECTIONS = 10;
/** Time that deliveries wait for the database after a failure. */
const RETRY_INTERVAL_MS = 500;

/** Creates separate connections for deliveries, so that many attempts do not delay the requests that read the store. */
export async function createDeliveryConnections(url: string | Promise<string>, log: Logger): Promise<pg.Pool> {
  const { Pool } = await loadClient();
  const options = await connectionOptions(url);
  const pool = new Pool({ ...options, max: MAX_CONNECTIONS, application_name: 'grimoire deliveries' });
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
      await abortableSleep(RETRY_INTERVAL_MS, signal);
    }
  }
}

/**
 * Variant of the connections for the job queue: `connect` retries until the database responds. Without retries, the
 * queue would print each failure and end its workers. Once the pool has ended, `connect` does not settle.
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

export type Queue = typeof import('graphile-worker');

let loaded: Promise<Queue> | undefined;

/** Loads the job queue, which a server without webhooks does not need. */
export const loadQueue = () => {
  loaded ??= import('graphile-worker');
  return loaded;
};

/**
 * Creates or updates the tables of the job queue. `query` uses a single connection, as in `prepare` of the database,
 * and holds a lock meanwhile, because several servers may start concurrently.
 */
export async function migrateJobQueue(query: Query, url: string | Promise<string>, log: Logger): Promise<void> {
  await query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
  const queue = await loadQueue();
  const pool = await createDeliveryConnections(url, log);
  try {
    await queue.runMigrations({ pgPool: pool, logger: queueLogger(queue, log) });
  } finally {
    await pool.end();
    await query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migrations]).catch(() => {});
  }
}

/** The queue logs every job; a failure that matters is logged by the caller. */
export const queueLogger = (queue: Queue, log: Logger): QueueLogger =>
  new queue.Logger(() => (_level, message) => log.trace(message));
