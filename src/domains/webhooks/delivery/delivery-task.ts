import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { Statements } from '../../../database/statements.ts';
import { SIGNATURE_HEADER, signatureOf } from '../receiver/auth-tokens.ts';
import { type DeliveryTarget, deliveryTarget } from '../registrations/active-registrations.ts';
import type { SigningTokens } from '../registrations/model.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { outcomeOf, type RecordAttempt } from './attempt-recorder.ts';
import { untilStored } from './job-queue.ts';
import {
  type ClaimedDelivery,
  claimDueDeliveries,
  type DeliveryJob,
  endDeliveries,
  hasWaitingDelivery,
  postponeJob,
  scheduleNextAttempt,
} from './jobs.ts';
import { observeAttempt, type ReceiverSlot, type ReceiverSlots, SLOW_AFTER_MS } from './receiver-slots.ts';

/** Prefix of a token in the form of Standard Webhooks; the rest is the key in base64. */
const TOKEN_PREFIX = 'whsec_';

/**
 * Returns the headers of one attempt, in lower case: the signature of the whole body in hex, as the notification
 * service sends it, and the signatures of Standard Webhooks, which cover the id of the delivery and the time of the
 * attempt. While a token is being rotated, the previous token signs, too.
 */
export function deliveryHeaders(
  { id, body }: Pick<ClaimedDelivery, 'id' | 'body'>,
  { current, previous }: SigningTokens,
  at: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const tokens = previous === null ? [current] : [current, previous];
  return {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signatureOf(current, body),
    ...(previous !== null && { [`${SIGNATURE_HEADER}-previous`]: signatureOf(previous, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': tokens
      .map((token) => `v1,${createHmac('sha256', keyOf(token)).update(content).digest('base64')}`)
      .join(' '),
  };
}

const keyOf = (token: string): Buffer =>
  Buffer.from(token.startsWith(TOKEN_PREFIX) ? token.slice(TOKEN_PREFIX.length) : token, 'base64');

/** Time for which one job sends before it yields its slot to other jobs. */
const MAX_JOB_MS = 30_000;

export interface DeliveryTaskOptions {
  readonly database: Statements;
  readonly record: RecordAttempt;
  readonly slots: ReceiverSlots;
  readonly attempt: AttemptOptions;
  readonly random: () => number;
  /** Whether jobs end after the attempts in flight. */
  readonly isEnding: () => boolean;
  /** Aborts the attempts in flight and the wait for the database; other servers then make the attempts. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The running job of a registration. */
interface RunningJob {
  readonly registrationId: string;
  readonly poolId: string;
  readonly slot: ReceiverSlot;
  /** Whether another job of the registration has started since the last read of its deliveries. */
  isRepeated: boolean;
}

/**
 * Creates the task of a job that a worker pool has taken: sends the due deliveries of a registration, records the results, and adds the job of the next attempt. Rejects
 * only when the signal aborts; the job then runs again.
 */
export function createDeliveryTask(options: DeliveryTaskOptions) {
  const { database, record, slots, attempt, random, isEnding, signal } = options;
  const { query } = database;
  const running = new Map<string, RunningJob>();

  const deliver = async ({ registrationId, slot }: RunningJob, delivery: ClaimedDelivery, { url, tokens }: DeliveryTarget) => {
    const { body, step } = delivery;
    const attemptedAt = new Date();
    const headers = deliveryHeaders(delivery, tokens, attemptedAt);
    const slowTimer = setTimeout(() => {
      slot.speed = 'slow';
    }, SLOW_AFTER_MS);
    const sent = attemptDelivery({ url, headers, body }, { ...attempt, signal });
    const result = await sent.finally(() => clearTimeout(slowTimer));
    observeAttempt(slot, result.durationMs);
    await record({ registrationId, url, delivery, result, outcome: outcomeOf(result, step, random), attemptedAt });
  };

  const sendDueDeliveries = async (job: RunningJob): Promise<void> => {
    const { registrationId, poolId, slot } = job;
    const endsAt = performance.now() + MAX_JOB_MS;
    do {
      job.isRepeated = false;
      const claim = () => claimDueDeliveries(query, registrationId, poolId, slot.limit);
      const read = () => Promise.all([claim(), deliveryTarget(query, registrationId)]);
      const [deliveries, target] = await untilStored(read, options);
      if (!target?.active) return await untilStored(() => endDeliveries(query, registrationId, poolId), options);
      await Promise.all(deliveries.map((delivery) => deliver(job, delivery, target)));
      if (deliveries.length > 0) job.isRepeated = true;
      // A job of a slow receiver yields its slot to other jobs.
    } while (job.isRepeated && slot.speed !== 'slow' && !isEnding() && performance.now() < endsAt);
  };

  return async ({ registrationId }: DeliveryJob, poolId: string): Promise<void> => {
    const other = running.get(registrationId);
    if (other) {
      // The running job reads the deliveries once more before it ends.
      other.isRepeated = true;
      return;
    }
    const slot = slots.acquire(registrationId);
    if (typeof slot === 'number') return await untilStored(() => postponeJob(query, registrationId, slot), options);
    const job: RunningJob = { registrationId, poolId, slot, isRepeated: false };
    running.set(registrationId, job);
    try {
      await sendDueDeliveries(job);
    } finally {
      running.delete(registrationId);
      slots.release(slot);
    }
    await untilStored(async () => {
      if (await hasWaitingDelivery(query, registrationId))
        await database.transaction((locked) => scheduleNextAttempt(locked, registrationId));
    }, options);
  };
}
