import type { WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { AttemptOptions } from './attempt.ts';
import { type AttemptCounts, AttemptRecorder } from './attempt-recorder.ts';
import { createDeliveryConnections, deliveryDatabase } from './connections.ts';
import { createDeliveryTask, type DeliveryRegistrations } from './delivery-task.ts';
import { loadQueue, startQueueWorkers } from './job-queue.ts';
import { releasePools } from './jobs.ts';
import { ReceiverSlots } from './receiver-slots.ts';
import { startWorkerLeases } from './worker-leases.ts';

/** Registrations to which one server delivers at the same time. */
const SLOTS = 100;
/** How long a job that is due, or that another server has lost, waits at most for an idle slot. */
const WAKE_INTERVAL_MS = 200;
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

export interface DeliveryWorker {
  readonly counts: Readonly<AttemptCounts>;
  /** Lets attempts in flight finish or releases their jobs. Takes less than two seconds. */
  stop(): Promise<void>;
}

export interface DeliveryWorkerDependencies {
  readonly database: Database;
  readonly registrations: DeliveryRegistrations;
  readonly options: DeliveryWorkerOptions;
  readonly log: Logger;
}

/**
 * Starts the deliveries of this server once the database is prepared. The workers of the queue live as long as the connection that shows that they
 * do: a job whose assignment was lost with a connection is unlocked like those of a server that has ended.
 */
export function startDeliveryWorker({ database, registrations, options, log }: DeliveryWorkerDependencies): DeliveryWorker {
  const { url, random = Math.random, ...attempt } = options;
  const aborter = new AbortController();
  const counts: AttemptCounts = { DELIVERED: 0, RETRYING: 0, DEAD: 0 };
  /** The workers that have not ended. */
  const running = new Set<WorkerPool>();
  /** Those of them that take jobs. */
  let current: WorkerPool | undefined;
  let connections: pg.Pool | undefined;
  let runJob: ReturnType<typeof createDeliveryTask> | undefined;
  let isStopping = false;

  const wake = (): void => current?.nudge(1);

  const createTask = (pool: pg.Pool): ReturnType<typeof createDeliveryTask> => {
    const own = deliveryDatabase(pool);
    const deactivate = registrations.deactivate.bind(registrations);
    return createDeliveryTask({
      database: own,
      registrations,
      recorder: new AttemptRecorder({ database: own, deactivate, counts, signal: aborter.signal, log }),
      slots: new ReceiverSlots({ total: SLOTS, random }),
      attempt,
      random,
      isEnding: (poolId) => isStopping || poolId !== current?.id,
      signal: aborter.signal,
      log,
    });
  };

  const startWorkers = (queue: Awaited<ReturnType<typeof loadQueue>>, pool: pg.Pool): WorkerPool => {
    // One for all pools of this server, so that a registration has one job that sends.
    runJob ??= createTask(pool);
    const workers = startQueueWorkers({
      queue,
      pool,
      slots: SLOTS,
      run: runJob,
      // One job wakes the next slot, so that a burst fills all of them within milliseconds.
      onTaken: wake,
      onEnding() {
        if (workers === current) current = undefined;
      },
      log,
    });
    running.add(workers);
    void workers.promise
      .catch((err) => log.debug({ err }, 'the workers of webhook deliveries have failed'))
      .then(() => {
        running.delete(workers);
        leases.release(workers.id);
        if (running.size === 0 && !isStopping) leases.renew();
      });
    return workers;
  };

  const leases = startWorkerLeases({
    database,
    async onConnect() {
      const queue = await loadQueue();
      connections ??= await createDeliveryConnections(await url, log);
      if (isStopping) throw new Error('the deliveries have stopped');
      const previous = current;
      current = startWorkers(queue, connections);
      if (previous) void shutDown(previous);
      return current.id;
    },
    log,
  });
  const wakeTimer = setInterval(wake, WAKE_INTERVAL_MS);
  wakeTimer.unref();

  return {
    counts,
    async stop() {
      isStopping = true;
      clearInterval(wakeTimer);
      const abort = (): void => aborter.abort(new Error('the server is shutting down'));
      const finishTimer = setTimeout(abort, FINISH_MS);
      const pools = [...running].map(({ id }) => id);
      if (current) void shutDown(current);
      await withinTime(Promise.allSettled([...running].map(({ promise }) => promise)), STOP_MS);
      clearTimeout(finishTimer);
      abort();
      const released = database.transaction((query) => releasePools(query, pools));
      await withinTime(
        released.catch(() => {}),
        RELEASE_MS,
      );
      await leases.stop();
      void connections?.end().catch(() => {});
    },
  };
}

/** Lets the attempts in flight finish. The end and its errors are reported by the promise of the workers. */
const shutDown = (workers: WorkerPool): Promise<void> => Promise.resolve(workers.gracefulShutdown()).catch(() => {});

/** Resolves with the promise, or after `ms`: a database that is down does not delay the end of the server. */
async function withinTime(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
