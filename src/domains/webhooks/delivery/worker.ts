import { EventEmitter } from 'node:events';
import type { WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../../database/database.ts';
import { holdConnection } from '../../../database/held-connection.ts';
import { inTransaction, poolStatements, type Query, queryOf } from '../../../database/statements.ts';
import { abortableSleep, untilAborted } from '../../../lib/abort.ts';
import type { AttemptOptions } from './attempt.ts';
import { type AttemptCounts, createAttemptRecorder } from './attempt-recorder.ts';
import { createDeliveryTask } from './delivery-task.ts';
import { createDeliveryConnections, loadQueue, type Queue, queueLogger, untilConnected } from './job-queue.ts';
import { addLostJobs, DELIVERY_TASK, type DeliveryJob, releasePools } from './jobs.ts';
import { createReceiverSlots } from './receiver-slots.ts';

/** Maximum number of registrations to which one server delivers concurrently. */
const SLOTS = 100;
/** Maximum time that a due job, or a lost job of another server, waits while a slot is idle. */
const WAKE_INTERVAL_MS = 200;
/**
 * Interval at which one idle slot reads the queue. New and due jobs do not wait for these reads, because `wake` is
 * called more often.
 */
const POLL_INTERVAL_MS = 30_000;
/**
 * Attempts in flight have this time to finish when the server stops; then this server aborts the attempts, and another
 * server repeats them.
 */
const FINISH_MS = 1_000;
const STOP_MS = 1_500;
/** Without it, other servers take over a few seconds later. */
const RELEASE_MS = 300;

export interface DeliveryWorkerOptions extends AttemptOptions {
  /** URL of the database, for the connections of the job queue. */
  readonly url: string | Promise<string>;
  /** Random numbers for delays, from 0 to 1. @default `Math.random` */
  readonly random?: () => number;
}

/** Starts the deliveries of this server once the database is prepared. */
export function startDeliveryWorker(database: Database, options: DeliveryWorkerOptions, log: Logger) {
  const { url, random = Math.random, ...attempt } = options;
  /** Aborts the attempts in flight. */
  const aborter = new AbortController();
  const { signal } = aborter;
  const counts: AttemptCounts = { DELIVERED: 0, RETRYING: 0, DEAD: 0 };
  /** The pool of slots, until all slots have ended. */
  let workers: WorkerPool | undefined;
  /** Aborts when these workers have ended. */
  let ended = new AbortController();
  /** Whether these workers take no further jobs. */
  let isEnding = false;
  /** The connections of the jobs; set before the first job. */
  let connections: pg.Pool | undefined;
  const own = poolStatements(() => connections!);
  // One task for all pools of this server, so that a registration has at most one running job.
  const runJob = createDeliveryTask({
    database: own,
    record: createAttemptRecorder(own, counts, { signal, log }),
    slots: createReceiverSlots(SLOTS, random),
    isEnding: () => isEnding,
    ...{ attempt, random, signal, log },
  });

  const wake = (): void => {
    if (!isEnding) workers?.nudge(1);
  };

  const startPool = (queue: Queue, pool: pg.Pool): WorkerPool => {
    isEnding = false;
    const end = new AbortController();
    ended = end;
    const events = new EventEmitter();
    // Each job wakes the next slot, so that a burst fills all slots within milliseconds.
    events.on('job:start', wake);
    events.on('pool:gracefulShutdown', () => {
      isEnding = true;
    });
    // The promise of the pool never settles after several statements that complete jobs have failed
    // (https://github.com/graphile/worker/issues/636), so the end of all slots counts.
    let running = SLOTS;
    events.on('worker:stop', () => {
      running -= 1;
      if (running > 0) return;
      workers = undefined;
      end.abort();
    });
    const started: WorkerPool = queue.runTaskList(
      {
        noHandleSignals: true,
        logger: queueLogger(queue, log),
        events,
        // A batch retries while the database is down, and its failure ends the pool instead of the process.
        preset: {
          worker: { concurrentJobs: SLOTS, pollInterval: POLL_INTERVAL_MS, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        },
      },
      { [DELIVERY_TASK]: (payload) => runJob(payload as DeliveryJob, started.id) },
      untilConnected(pool),
    );
    started.promise.catch((err) => log.debug({ err }, 'the workers of webhook deliveries have failed'));
    return started;
  };

  const startWorkers = async (lost: AbortSignal) => {
    const queue = await loadQueue();
    connections ??= await createDeliveryConnections(url, log);
    lost.throwIfAborted();
    workers ??= startPool(queue, connections);
    return { id: workers.id, ended: ended.signal };
  };

  const lease = holdWorkerLease(database, startWorkers, log);
  const wakeTimer = setInterval(wake, WAKE_INTERVAL_MS).unref();

  return {
    counts: counts as Readonly<AttemptCounts>,
    /** Lets attempts in flight finish or releases their jobs. Takes less than two seconds. */
    async stop(): Promise<void> {
      void lease.stop();
      isEnding = true;
      clearInterval(wakeTimer);
      const abort = (): void => aborter.abort(new Error('the server is shutting down'));
      const finishTimer = setTimeout(abort, FINISH_MS);
      const pool = workers;
      if (pool) {
        // The promise of the workers rejects with these errors.
        Promise.resolve(pool.gracefulShutdown()).catch(() => {});
        await settledWithin(pool.promise, STOP_MS);
      }
      clearTimeout(finishTimer);
      abort();
      if (pool) {
        const released = database.transaction((query) => releasePools(query, [pool.id]));
        await settledWithin(released, RELEASE_MS);
      }
      void connections?.end().catch(() => {});
    },
  };
}

/** Resolves when the promise has settled, or after `ms`: an unavailable database does not delay the shutdown. */
const settledWithin = (promise: Promise<unknown>, ms: number): Promise<void> =>
  untilAborted(Promise.allSettled([promise]), AbortSignal.timeout(ms));

/**
 * First key of the advisory locks by worker pool; locks with two keys do not conflict with the locks of ADVISORY_LOCKS.
 */
const LEASE_LOCK = 7_462;
const RECONNECT_INTERVAL_MS = 500;
/**
 * A pool counts as ended after two checks without its lock, so that a server has the time to lock again after a restart
 * of the database.
 */
const CHECK_INTERVAL_MS = 3_000;
/** Checks after which a server searches for deliveries without a job, once a minute. */
const CHECKS_PER_SEARCH = 20;

/**
 * Holds an advisory lock for the worker pool of this server until `stop` is called. PostgreSQL releases the lock when
 * the connection ends for any reason. Every server compares the pools that have jobs or deliveries with the locks, and
 * takes over the jobs and deliveries of pools without a lock. `startWorkers` is called with the signal of each
 * connection, and starts a worker pool unless one is running. `ended` aborts when the workers have ended, even because
 * of an error of the queue.
 */
export function holdWorkerLease(
  database: Database,
  startWorkers: (lost: AbortSignal) => Promise<{ readonly id: string; readonly ended: AbortSignal }>,
  log: Logger,
) {
  let leased: string | undefined;
  return holdConnection(database, RECONNECT_INTERVAL_MS, async (client, lost) => {
    const query = queryOf(client);
    const { id, ended } = await startWorkers(lost);
    const signal = AbortSignal.any([lost, ended]);
    await query('select pg_advisory_lock($1, hashtext($2))', [LEASE_LOCK, id]);
    // The response that assigned a job may have been lost with the previous connection: no worker has the job.
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

/** The pools that have jobs or deliveries, but no lock. */
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
