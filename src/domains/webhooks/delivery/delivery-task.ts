import type { Logger } from 'pino';
import type { SigningTokens } from '../registrations/model.ts';
import type { Query } from '../store/query.ts';
import { type AttemptOptions, type AttemptResult, attemptDelivery } from './attempt.ts';
import { type AttemptSlots, SLOW_AFTER_MS } from './attempt-slots.ts';
import type { DeliveryDatabase } from './connections.ts';
import { type DeliveryJob, postponeJob } from './jobs.ts';
import { readDueDelivery, recordAttempt, recordInactive } from './records.ts';
import { type AttemptOutcome, outcomeOf } from './schedule.ts';
import { deliveryHeaders } from './signature.ts';

/** Where a registration is delivered now. */
export interface DeliveryTarget {
  readonly url: string;
  readonly active: boolean;
  readonly tokens: SigningTokens;
}

/** The registrations as the deliveries read and change them. */
export interface DeliveryRegistrations {
  deliveryTarget(query: Query, registrationId: string): Promise<DeliveryTarget | undefined>;
  deactivate(query: Query, registrationId: string): Promise<void>;
}

/** Recorded attempts of this server, by what followed from them. */
export type AttemptCounts = Record<AttemptOutcome['status'], number>;

export interface DeliveryTaskOptions {
  readonly counts: AttemptCounts;
  readonly database: DeliveryDatabase;
  readonly registrations: DeliveryRegistrations;
  readonly slots: AttemptSlots;
  readonly attempt: AttemptOptions;
  readonly random: () => number;
  /** Aborts the attempts in flight, whose jobs other servers then take. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** How long a finished attempt waits for the database, so that it is not repeated. */
const RECORD_RETRIES = 60;
const RECORD_INTERVAL_MS = 500;

/**
 * Creates the task of one attempt: reads the delivery, sends it, and records the result with the next job in one transaction. Rejects when the
 * database does not respond or the server stops; the job then runs again.
 */
export function createDeliveryTask(options: DeliveryTaskOptions): (job: DeliveryJob) => Promise<void> {
  const { database, registrations, slots, signal } = options;
  return async (job) => {
    const { registrationId } = job;
    const delayMs = slots.acquire(registrationId);
    if (delayMs !== undefined) return await postponeJob(database.query, job, delayMs);
    let durationMs = 0;
    try {
      const [delivery, target] = await Promise.all([
        readDueDelivery(database.query, job),
        registrations.deliveryTarget(database.query, registrationId),
      ]);
      if (!delivery || !target) return;
      if (!target.active) return await recordInactive(database, job);
      const attemptedAt = new Date();
      const headers = deliveryHeaders({ id: job.deliveryId, body: delivery.body, tokens: target.tokens, at: attemptedAt });
      const slowTimer = setTimeout(() => slots.markSlow(registrationId), SLOW_AFTER_MS);
      let result: AttemptResult;
      try {
        result = await attemptDelivery({ url: target.url, headers, body: delivery.body }, { ...options.attempt, signal });
      } finally {
        clearTimeout(slowTimer);
      }
      durationMs = result.durationMs;
      await record(options, job, result, attemptedAt);
    } finally {
      slots.release(registrationId, durationMs);
    }
  };
}

async function record(
  { database, registrations, counts, random, signal, log }: DeliveryTaskOptions,
  job: DeliveryJob,
  result: AttemptResult,
  attemptedAt: Date,
): Promise<void> {
  const outcome = outcomeOf(result, job.step, random);
  for (let retries = 0; ; retries++) {
    try {
      await recordAttempt(database, {
        job,
        result,
        outcome,
        attemptedAt,
        deactivate: registrations.deactivate.bind(registrations),
      });
      counts[outcome.status] += 1;
      return;
    } catch (err) {
      if (retries >= RECORD_RETRIES || signal.aborted) throw err;
      if (retries === 0) log.debug({ err }, 'an attempt to deliver a webhook cannot be recorded yet');
      await new Promise((resolve) => setTimeout(resolve, RECORD_INTERVAL_MS));
    }
  }
}
