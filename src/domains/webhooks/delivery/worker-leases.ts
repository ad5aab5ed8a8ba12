import type { Logger } from 'pino';
import { abortableSleep } from '../../../lib/abort.ts';
import type { Database } from '../store/database.ts';
import { holdConnection } from '../store/held-connection.ts';
import { inTransaction, type Query, queryOf } from '../store/statements.ts';
import { addLostJobs, releasePools } from './jobs.ts';

/** First key of the advisory locks by worker pool; locks with two keys do not conflict with those of ADVISORY_LOCKS. */
const LEASE_LOCK = 7_462;
const RECONNECT_INTERVAL_MS = 500;
/** A pool is gone after two checks without its lock, so that a server has the time to lock again after a restart of the database. */
const CHECK_INTERVAL_MS = 3_000;
/** Checks after which a server searches for deliveries without a job, once a minute. */
const CHECKS_PER_SEARCH = 20;

/** The workers of this server whose lock a connection holds. */
export interface LeasedWorkers {
  readonly id: string;
  /** Aborts when the workers have ended, also by an error of the queue. */
  readonly ended: AbortSignal;
}

/**
 * Holds an advisory lock for the worker pool of this server until the signal aborts. PostgreSQL releases the lock when the connection ends, however it
 * ends. Every server compares the pools that have jobs or deliveries with the locks, and takes over what belongs to none that is alive. Never
 * rejects. `startWorkers` is called with each connection, and starts a worker pool unless there is one.
 */
export function holdWorkerLease(
  database: Database,
  startWorkers: () => Promise<LeasedWorkers>,
  stopped: AbortSignal,
  log: Logger,
): Promise<void> {
  let leased: string | undefined;
  return holdConnection(database, RECONNECT_INTERVAL_MS, stopped, async (client, lost) => {
    const query = queryOf(client);
    const { id, ended } = await startWorkers();
    const signal = AbortSignal.any([lost, ended]);
    await query('select pg_advisory_lock($1, hashtext($2))', [LEASE_LOCK, id]);
    // The response that assigned a job may have been lost with the connection before: no worker has the job.
    if (id === leased) await inTransaction(query, (restore) => addLostJobs(restore, 0));
    leased = id;
    let suspects: readonly string[] = [];
    const check = async (checks: number): Promise<void> => {
      const missing = await readMissingPools(query);
      const gone = missing.filter((pool) => suspects.includes(pool));
      suspects = missing;
      if (gone.length > 0) {
        log.info({ pools: gone.length }, 'the webhook deliveries of a server that has ended are taken over');
        await inTransaction(query, (release) => releasePools(release, gone));
      }
      if (checks % CHECKS_PER_SEARCH === 0) await inTransaction(query, addLostJobs);
    };
    for (let checks = 1; !signal.aborted; checks++) {
      await check(checks).catch((err) => log.debug({ err }, 'the workers of webhook deliveries cannot be checked'));
      await abortableSleep(CHECK_INTERVAL_MS, signal);
    }
  });
}

/** The pools that have jobs or deliveries, and no lock. */
async function readMissingPools(query: Query): Promise<readonly string[]> {
  const rows = await query<{ pool: string }>(
    `select pool from (
       select locked_by as pool from graphile_worker.jobs where locked_by is not null
       union select claimed_by from webhook_deliveries where claimed_by is not null
     ) as working
     where not exists (
       select from pg_locks where locktype = 'advisory' and classid = ${LEASE_LOCK} and objsubid = 2 and granted
         and database = (select oid from pg_database where datname = current_database())
         and objid = (hashtext(pool)::bigint & 4294967295)::oid
     )`,
  );
  return rows.map(({ pool }) => pool);
}
