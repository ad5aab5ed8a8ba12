import { createHash } from 'node:crypto';
import type { Query } from '../../../database/statements.ts';

/** The body of deliveries, JSON exactly as it is sent, and the application that it is sent to. */
type DeliveryBody = Readonly<Record<'app' | 'body', string>>;

/** Key of a body: SHA-256 of the application and the body. Deliveries with equal bodies share one row. */
const hashOf = ({ app, body }: DeliveryBody): Buffer => createHash('sha256').update(app).update('\0').update(body).digest();

/** Stores the bodies that are not stored yet. Returns the hashes of all bodies, in their order. */
export async function insertBodies(query: Query, bodies: readonly DeliveryBody[]): Promise<readonly Buffer[]> {
  if (bodies.length === 0) return [];
  const hashes = bodies.map(hashOf);
  const positions = [...new Map(hashes.map((hash, i) => [hash.toString('hex'), i])).values()];
  // Sorted, so that transactions cannot deadlock.
  const statement = `insert into webhook_delivery_bodies (hash, body)
     select hash, body from unnest($1::bytea[], $2::text[]) as new (hash, body) order by hash on conflict do nothing`;
  await query(statement, [positions.map((i) => hashes[i]), positions.map((i) => bodies[i]!.body)]);
  return hashes;
}

/** Maximum number of bodies that one statement deletes. */
const DELETED_BODIES = 1_000;

/**
 * Deletes bodies without deliveries. Bodies of the last day stay, so that a delivery can be added to a body that was
 * just stored.
 */
export async function deleteUnusedBodies(query: Query): Promise<void> {
  const statement = `delete from webhook_delivery_bodies where hash in (
      select hash from webhook_delivery_bodies as body where created_at < now() - interval '1 day'
        and not exists (select from webhook_deliveries where body_hash = body.hash)
        and not exists (select from waiting_deliveries where body_hash = body.hash)
      limit ${DELETED_BODIES}) returning 1`;
  while ((await query(statement)).length === DELETED_BODIES);
}
