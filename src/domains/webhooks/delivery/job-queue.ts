import { EventEmitter } from 'node:events';
import type { Logger as QueueLogger, WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../store/migrations.ts';
import type { Query } from '../store/statements.ts';
import { createDeliveryConnections, untilConnected } from './connections.ts';
import { DELIVERY_TASK, type DeliveryJob } from './jobs.ts';

/** Reads of one idle slot. New and due jobs do not wait for them: see `startDeliveryWorker`. */
const POLL_INTERVAL_MS = 30_000;

/** Loads the job queue, which a server without webhooks does not need. */
export const loadQueue = () => import('graphile-worker');

type Queue = Awaited<ReturnType<typeof loadQueue>>;

/**
 * Creates or updates the tables of the job queue. `query` is that of a single connection, as in `prepare` of the database, and holds a lock
 * meanwhile, because several servers may start at the same time.
 */
export async function migrateJobQueue(query: Query, url: string | Promise<string>, log: Logger): Promise<void> {
  await query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
  const queue = await loadQueue();
  const pool = await createDeliveryConnections(await url, log);
  try {
    await queue.runMigrations({ pgPool: pool, logger: queueLogger(queue, log) });
  } finally {
    await pool.end();
    await query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migrations]).catch(() => {});
  }
}

export interface QueueWorkersOptions {
  readonly queue: Queue;
  readonly pool: pg.Pool;
  readonly slots: number;
  readonly run: (job: DeliveryJob, poolId: string) => Promise<void>;
  /** Called when a slot has taken a job. */
  readonly onTaken: () => void;
  /** Called when the workers start to end, also by an error of the queue. They must not be woken then. */
  readonly onEnding: () => void;
  readonly log: Logger;
}

/** Starts the workers of one pool, as many as slots. */
export function startQueueWorkers({ queue, pool, slots, run, onTaken, onEnding, log }: QueueWorkersOptions): WorkerPool {
  const events = new EventEmitter();
  events.on('job:start', onTaken);
  events.on('pool:gracefulShutdown', onEnding);
  const workers = queue.runTaskList(
    {
      noHandleSignals: true,
      logger: queueLogger(queue, log),
      events,
      // A batch retries while the database is down, and its failure ends the pool instead of the process.
      preset: {
        worker: { concurrentJobs: slots, pollInterval: POLL_INTERVAL_MS, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
    },
    { [DELIVERY_TASK]: (payload) => run(payload as DeliveryJob, workers.id) },
    untilConnected(pool),
  );
  return workers;
}

/** The queue logs every job; a failure that matters is logged by the caller. */
const queueLogger = (queue: Queue, log: Logger): QueueLogger => new queue.Logger(() => (_level, message) => log.trace(message));
