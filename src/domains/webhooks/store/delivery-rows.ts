import { createHash } from 'node:crypto';
import type { DeliveryStatus, WebhookDelivery } from '../registrations/model.ts';
import type { Query } from './statements.ts';

/** The body of deliveries, JSON exactly as it is sent, and the application that it is sent to. */
interface DeliveryBody {
  readonly app: string;
  readonly body: string;
}

/** Key of a body: SHA-256 of the application and the body. Deliveries with the same body share one row. */
const hashOf = ({ app, body }: DeliveryBody): Buffer => createHash('sha256').update(app).update('\0').update(body).digest();

/** Stores the bodies that are not stored yet. Returns the hashes of all of them, in their order. */
export async function insertBodies(query: Query, bodies: readonly DeliveryBody[]): Promise<readonly Buffer[]> {
  const hashes = bodies.map(hashOf);
  // Sorted, so that transactions do not wait for each other in a circle.
  const byHash = [...new Map(hashes.map((hash, i) => [hash.toString('hex'), i])).values()].sort((a, b) =>
    hashes[a]!.compare(hashes[b]!),
  );
  if (byHash.length > 0)
    await query(
      `insert into webhook_delivery_bodies (hash, body) select * from unnest($1::bytea[], $2::text[]) on conflict do nothing`,
      [byHash.map((i) => hashes[i]), byHash.map((i) => bodies[i]!.body)],
    );
  return hashes;
}

/** Bodies that one statement deletes. */
const DELETED_BODIES = 1_000;

/** Deletes bodies that no delivery has. Those of the last day stay, so that a delivery of a body that was just stored finds it. */
export async function deleteUnusedBodies(query: Query): Promise<void> {
  const statement = `delete from webhook_delivery_bodies where hash in (
      select hash from webhook_delivery_bodies as body where created_at < now() - interval '1 day'
        and not exists (select from webhook_deliveries where body_hash = body.hash)
        and not exists (select from waiting_deliveries where body_hash = body.hash)
      limit ${DELETED_BODIES}) returning 1`;
  while ((await query(statement)).length === DELETED_BODIES);
}

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
