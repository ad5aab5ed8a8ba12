import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { poolStatements } from '../store/statements.ts';
import type { AttemptOptions } from './attempt.ts';
import { type AttemptCounts, createAttemptRecorder } from './attempt-recorder.ts';
import { createDeliveryTask, type DeliveryTask } from './delivery-task.ts';
import { createDeliveryConnections, loadQueue, type Queue, queueLogger, untilConnected } from './job-queue.ts';
import { DELIVERY_TASK, type DeliveryJob, releasePools } from './jobs.ts';
import { createReceiverSlots } from './receiver-slots.ts';
import { holdWorkerLease } from './worker-leases.ts';

/** Registrations to which one server delivers at the same time. */
const SLOTS = 100;
/** How long a job that is due, or that another server has lost, waits at most for an idle slot. */
const WAKE_INTERVAL_MS = 200;
/** Reads of one idle slot. New and due jobs do not wait for them: `wake` is called more often. */
const POLL_INTERVAL_MS = 30_000;
/** Attempts in flight have this time to finish when the server stops; then they are aborted, and made by another server. */
const FINISH_MS = 1_000;
const STOP_MS = 1_500;
/** Other servers take over without it, a few seconds later. */
const RELEASE_MS = 300;

export interface DeliveryWorkerOptions extends AttemptOptions {
  /** Of the database, for the connections of the job queue. */
  readonly url: string | Promise<string>;
  readonly random?: () => number;
}

export type DeliveryWorker = ReturnType<typeof startDeliveryWorker>;

/** Starts the deliveries of this server once the database is prepared. */
export function startDeliveryWorker(database: Database, options: DeliveryWorkerOptions, log: Logger) {
  const { url, random = Math.random, ...attempt } = options;
  /** Aborts when no further jobs are taken. */
  const stopping = new AbortController();
  /** Aborts the attempts in flight. */
  const aborter = new AbortController();
  const { signal } = aborter;
  const counts: AttemptCounts = { DELIVERED: 0, RETRYING: 0, DEAD: 0 };
  /** The workers that have not ended. */
  let workers: WorkerPool | undefined;
  /** Aborts when these workers have ended. */
  let ended = new AbortController();
  /** Whether these workers take no further jobs. */
  let isEnding = false;
  let connections: pg.Pool | undefined;
  let runJob: DeliveryTask | undefined;

  const wake = (): void => {
    if (!isEnding) workers?.nudge(1);
  };

  const createTask = (pool: pg.Pool): DeliveryTask => {
    const own = poolStatements(() => pool);
    return createDeliveryTask({
      database: own,
      record: createAttemptRecorder(own, counts, { signal, log }),
      slots: createReceiverSlots(SLOTS, random),
      isEnding: () => isEnding,
      ...{ attempt, random, signal, log },
    });
  };

  const startPool = (queue: Queue, pool: pg.Pool, run: DeliveryTask): WorkerPool => {
    isEnding = false;
    const end = new AbortController();
    ended = end;
    const events = new EventEmitter();
    // One job wakes the next slot, so that a burst fills all of them within milliseconds.
    events.on('job:start', wake);
    events.on('pool:gracefulShutdown', () => {
      isEnding = true;
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
      { [DELIVERY_TASK]: (payload) => run(payload as DeliveryJob, started.id) },
      untilConnected(pool),
    );
    void started.promise
      .catch((err) => log.debug({ err }, 'the workers of webhook deliveries have failed'))
      .then(() => {
        workers = undefined;
        end.abort();
      });
    return started;
  };

  const startWorkers = async () => {
    const queue = await loadQueue();
    connections ??= await createDeliveryConnections(url, log);
    stopping.signal.throwIfAborted();
    // One task for all pools of this server, so that a registration has one job that sends.
    runJob ??= createTask(connections);
    workers ??= startPool(queue, connections, runJob);
    return { id: workers.id, ended: ended.signal };
  };

  void holdWorkerLease(database, startWorkers, stopping.signal, log);
  const wakeTimer = setInterval(wake, WAKE_INTERVAL_MS);
  wakeTimer.unref();

  return {
    counts: counts as Readonly<AttemptCounts>,
    /** Lets attempts in flight finish or releases their jobs. Takes less than two seconds. */
    async stop(): Promise<void> {
      stopping.abort();
      isEnding = true;
      clearInterval(wakeTimer);
      const abort = (): void => aborter.abort(new Error('the server is shutting down'));
      const finishTimer = setTimeout(abort, FINISH_MS);
      const pool = workers;
      if (pool) {
        // Its errors are those of the promise of the workers.
        Promise.resolve(pool.gracefulShutdown()).catch(() => {});
        await settledWithin(pool.promise, STOP_MS);
      }
      clearTimeout(finishTimer);
      abort();
      if (pool)
        await settledWithin(
          database.transaction((query) => releasePools(query, [pool.id])),
          RELEASE_MS,
        );
      void connections?.end().catch(() => {});
    },
  };
}

/** Resolves when the promise has settled, or after `ms`: a database that is down does not delay the end of the server. */
const settledWithin = (promise: Promise<unknown>, ms: number): Promise<unknown> =>
  Promise.race([promise.catch(() => {}), delay(ms, undefined, { ref: false })]);
