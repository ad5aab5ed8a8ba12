import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { inTransaction, queryOf } from '../store/statements.ts';
import { addLostJobs, releasePools } from './jobs.ts';

/** First key of the advisory locks by worker pool; locks with two keys do not conflict with those of ADVISORY_LOCKS. */
const LEASE_LOCK = 7_462;
const RECONNECT_INTERVAL_MS = 500;
/** A pool is gone after two checks without its lock, so that a server has the time to lock again after a restart of the database. */
const CHECK_INTERVAL_MS = 3_000;
/** Checks after which a server searches for deliveries without a job, once a minute. */
const CHECKS_PER_SEARCH = 20;
/** No job runs that long. */
const MAX_LOCKED_SECONDS = 120;

export interface WorkerLeasesOptions {
  readonly database: Database;
  /** Called with each connection. Starts a worker pool, whose lock is held on this connection, and ends the pool of the connection before. */
  readonly onConnect: () => Promise<string>;
  readonly log: Logger;
}

/** Shows other servers which worker pools are alive, and releases the jobs and deliveries of those that are not. */
export interface WorkerLeases {
  /** Gives up the lock of a pool that has ended. */
  release(poolId: string): void;
  /** Connects again, with a new worker pool. */
  renew(): void;
  stop(): Promise<void>;
}

/**
 * Starts the leases: an advisory lock for each worker pool, which PostgreSQL releases when the server's connection ends, however it ends. Every
 * server compares the pools that have jobs or deliveries with the locks.
 */
export function startWorkerLeases({ database, onConnect, log }: WorkerLeasesOptions): WorkerLeases {
  let client: pg.Client | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let suspects: ReadonlySet<string> = new Set();
  /** The pools of this server that have not ended. */
  const held = new Set<string>();
  let current: string | undefined;
  let checks = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Runs statements after those before, since a connection executes one at a time. */
  const inOrder = (run: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(run, run);
    return last;
  };

  const check = async (connected: pg.Client): Promise<void> => {
    const { rows } = await connected.query<{ pool: string; is_alive: boolean; is_stuck: boolean }>(
      `select pool, is_stuck, exists (
         select from pg_locks where locktype = 'advisory' and classid = ${LEASE_LOCK} and objsubid = 2 and granted
           and database = (select oid from pg_database where datname = current_database())
           and objid = (hashtext(pool)::bigint & 4294967295)::oid
       ) as is_alive
       from (
         select locked_by as pool, min(locked_at) < now() - interval '${MAX_LOCKED_SECONDS} seconds' as is_stuck
         from graphile_worker.jobs where locked_by is not null group by locked_by
         union all
         select distinct claimed_by, false from webhook_deliveries where claimed_by is not null
       ) as working`,
    );
    const missing = new Set(rows.filter(({ pool, is_alive }) => !is_alive && !held.has(pool)).map(({ pool }) => pool));
    const gone = [...missing].filter((pool) => suspects.has(pool));
    suspects = missing;
    if (gone.length > 0) await takeOver(connected, gone);
    checks += 1;
    if (checks % CHECKS_PER_SEARCH === 0) await inTransaction(queryOf(connected), addLostJobs);
    // The response that assigned a job was lost: no worker has it.
    if (rows.some(({ pool, is_stuck }) => is_stuck && pool === current)) reconnect();
  };

  const takeOver = async (connected: pg.Client, gone: readonly string[]): Promise<void> => {
    log.info({ pools: gone.length }, 'the webhook deliveries of a server that has ended are taken over');
    await inTransaction(queryOf(connected), (query) => releasePools(query, gone));
  };

  const connect = async (): Promise<void> => {
    try {
      const connected = await database.connect();
      if (isStopped) return void connected.end().catch(() => {});
      client = connected;
      connected.once('end', reconnect);
      // `end` follows and reconnects.
      connected.on('error', () => {});
      current = await onConnect();
      held.add(current);
      await inOrder(async () => {
        for (const pool of held) await connected.query('select pg_advisory_lock($1, hashtext($2))', [LEASE_LOCK, pool]);
        suspects = new Set();
        await check(connected);
      });
    } catch {
      reconnect();
    }
  };
  const reconnect = (): void => {
    const closed = client;
    client = undefined;
    closed?.removeAllListeners('end');
    closed?.end().catch(() => {});
    clearTimeout(reconnectTimer);
    if (!isStopped) reconnectTimer = setTimeout(connect, RECONNECT_INTERVAL_MS);
  };

  const checkTimer = setInterval(() => {
    const connected = client;
    if (!connected) return;
    inOrder(() => check(connected)).catch((err) => log.debug({ err }, 'the workers of webhook deliveries cannot be checked'));
  }, CHECK_INTERVAL_MS);
  checkTimer.unref();
  void connect();

  return {
    release(poolId) {
      held.delete(poolId);
      const connected = client;
      if (!connected) return;
      inOrder(() => connected.query('select pg_advisory_unlock($1, hashtext($2))', [LEASE_LOCK, poolId])).catch(() => {});
    },
    renew: () => reconnect(),
    async stop() {
      isStopped = true;
      clearInterval(checkTimer);
      clearTimeout(reconnectTimer);
      client?.removeAllListeners('end');
      await client?.end().catch(() => {});
    },
  };
}
