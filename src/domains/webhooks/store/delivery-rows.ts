import type { DeliveryStatus, WebhookDelivery } from '../registrations/model.ts';

/** A row of the table of deliveries, without its body. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly last_status_code: number | null;
  readonly delivered_at: Date | null;
}

export const DELIVERY_COLUMNS = 'id, webhook_id, event_id, status, attempts, next_attempt_at, last_status_code, delivered_at';

const isDue = (status: DeliveryStatus): boolean => status === 'PENDING' || status === 'RETRYING';

export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  registrationId: row.webhook_id,
  eventId: row.event_id,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: (isDue(row.status) && row.next_attempt_at?.toISOString()) || null,
  lastStatusCode: row.last_status_code,
  deliveredAt: row.delivered_at?.toISOString() ?? null,
});

/** One attempt of a delivery. The response of the receiver is not stored. */
export interface DeliveryAttempt {
  /** 1 is the first. */
  readonly number: number;
  /** ISO 8601. */
  readonly attemptedAt: string;
  readonly durationMs: number;
  /** Null where the receiver did not respond. */
  readonly statusCode: number | null;
  /** Text of this server; null after a success. */
  readonly error: string | null;
}

/** A row of the table of attempts. */
export interface AttemptRow {
  readonly delivery_id: string;
  readonly number: number;
  readonly attempted_at: Date;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly error: string | null;
}

export const toAttempt = (row: AttemptRow): DeliveryAttempt => ({
  number: row.number,
  attemptedAt: row.attempted_at.toISOString(),
  durationMs: row.duration_ms,
  statusCode: row.status_code,
  error: row.error,
});
