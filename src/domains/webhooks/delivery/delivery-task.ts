import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { SIGNATURE_HEADER, signatureOf } from '../receiver/auth-tokens.ts';
import type { SigningTokens } from '../registrations/model.ts';
import type { Query } from '../store/statements.ts';
import { type AttemptOptions, type AttemptResult, attemptDelivery } from './attempt.ts';
import { type AttemptRecorder, outcomeOf } from './attempt-recorder.ts';
import type { DeliveryDatabase } from './connections.ts';
import {
  type ClaimedDelivery,
  claimDueDeliveries,
  type DeliveryJob,
  endDeliveries,
  hasWaitingDelivery,
  postponeJob,
  scheduleNextAttempt,
} from './jobs.ts';
import { type ReceiverSlots, SLOW_AFTER_MS } from './receiver-slots.ts';

/** Prefix of a token in the form of Standard Webhooks; the rest is the key in base64. */
const TOKEN_PREFIX = 'whsec_';

/** One attempt to deliver a body. */
interface SignedAttempt {
  /** Of the delivery; equal in every attempt. */
  readonly id: string;
  readonly body: string;
  readonly tokens: SigningTokens;
  /** Time of the attempt. Receivers reject one that is five minutes old. */
  readonly at: Date;
}

/**
 * Returns the headers of one attempt, in lower case: the signature of the whole body in hex as the notification service sends it, and beside it
 * those of Standard Webhooks, which cover the id and the time too. While a token is rotated the previous one signs as well.
 */
export function deliveryHeaders({
  id,
  body,
  tokens: { current, previous },
  at,
}: SignedAttempt): Readonly<Record<string, string>> {
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

/** How long one job sends before it lets others have its slot. */
const MAX_JOB_MS = 30_000;
/** How long a job waits for the database after a failure. A job that fails waits for minutes instead, and for hours after several failures. */
const RETRY_INTERVAL_MS = 500;

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

export interface DeliveryTaskOptions {
  readonly database: DeliveryDatabase;
  readonly registrations: DeliveryRegistrations;
  readonly recorder: AttemptRecorder;
  readonly slots: ReceiverSlots;
  readonly attempt: AttemptOptions;
  readonly random: () => number;
  /** Whether the jobs of a worker pool end after the attempts in flight. */
  readonly isEnding: (poolId: string) => boolean;
  /** Aborts the attempts in flight and the wait for the database; other servers then make the attempts. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The job of a registration that sends. */
interface RunningJob {
  /** Whether another job of the registration has started since the last read of its deliveries. */
  isRepeated: boolean;
}

/**
 * Creates the task of one job: sends the due deliveries of a registration, records the results, and adds the job of the next attempt. Rejects
 * only when the signal aborts; the job then runs again.
 */
export function createDeliveryTask(options: DeliveryTaskOptions): (job: DeliveryJob, poolId: string) => Promise<void> {
  const { database, slots } = options;
  const running = new Map<string, RunningJob>();
  return async ({ registrationId }, poolId) => {
    const other = running.get(registrationId);
    if (other) {
      // It reads the deliveries once more before it ends.
      other.isRepeated = true;
      return;
    }
    const delayMs = slots.acquire(registrationId);
    if (delayMs !== undefined) return await untilStored(options, () => postponeJob(database.query, registrationId, delayMs));
    const job: RunningJob = { isRepeated: false };
    running.set(registrationId, job);
    try {
      await sendDueDeliveries(options, job, registrationId, poolId);
    } finally {
      running.delete(registrationId);
      slots.release(registrationId);
    }
    await untilStored(options, async () => {
      if (await hasWaitingDelivery(database.query, registrationId))
        await database.transaction((query) => scheduleNextAttempt(query, registrationId));
    });
  };
}

/** Runs statements until the database has executed them. */
async function untilStored<T>({ signal, log }: DeliveryTaskOptions, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (err) {
      if (signal.aborted) throw err;
      log.debug({ err }, 'the deliveries of a webhook wait for the database');
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
    }
  }
}

async function sendDueDeliveries(
  options: DeliveryTaskOptions,
  job: RunningJob,
  registrationId: string,
  poolId: string,
): Promise<void> {
  const { database, registrations, slots, isEnding } = options;
  const endsAt = performance.now() + MAX_JOB_MS;
  do {
    job.isRepeated = false;
    const [deliveries, target] = await untilStored(options, () =>
      Promise.all([
        claimDueDeliveries(database.query, { registrationId, poolId, limit: slots.limitOf(registrationId) }),
        registrations.deliveryTarget(database.query, registrationId),
      ]),
    );
    if (!target?.active) return await untilStored(options, () => endDeliveries(database.query, registrationId, poolId));
    await Promise.all(deliveries.map((delivery) => deliver(options, delivery, registrationId, target)));
    if (deliveries.length > 0) job.isRepeated = true;
    // A slow receiver takes turns with others.
  } while (job.isRepeated && !slots.isSlow(registrationId) && !isEnding(poolId) && performance.now() < endsAt);
}

async function deliver(
  { recorder, slots, attempt, random, signal }: DeliveryTaskOptions,
  delivery: ClaimedDelivery,
  registrationId: string,
  { url, tokens }: DeliveryTarget,
): Promise<void> {
  const { id, body, step } = delivery;
  const attemptedAt = new Date();
  const headers = deliveryHeaders({ id, body, tokens, at: attemptedAt });
  const slowTimer = setTimeout(() => slots.markSlow(registrationId), SLOW_AFTER_MS);
  let result: AttemptResult;
  try {
    result = await attemptDelivery({ url, headers, body }, { ...attempt, signal });
  } finally {
    clearTimeout(slowTimer);
  }
  slots.observe(registrationId, result.durationMs);
  await recorder.record({ registrationId, delivery, result, outcome: outcomeOf(result, step, random), attemptedAt });
}
