import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isStorable, type Query } from '../../../database/statements.ts';
import { GraphError } from '../../../lib/errors.ts';
import { PACKAGE_ROOT } from '../../../lib/package-root.ts';
import { addDeliveries, requeueDelivery } from '../delivery/jobs.ts';
import type { ChainStatements } from '../store/chain-statements.ts';
import { insertBodies } from '../store/delivery-bodies.ts';
import { readDeliveries } from '../store/delivery-store.ts';
import type { WebhookDelivery, WebhookRegistration } from './model.ts';
import type { RegistrationScope } from './registration-store.ts';

/** The body of a test: the example of the registration's type, of a network that does not exist. */
export function sampleBody({ app, type }: Pick<WebhookRegistration, 'app' | 'type'>, sentAt: Date): object {
  const path = `examples/webhooks/${type.toLowerCase().replace('_', '-')}.json`;
  const example = JSON.parse(readFileSync(new URL(path, PACKAGE_ROOT), 'utf8'));
  return { ...example, app, network: 'SAMPLE_NETWORK', timestamp: sentAt.toISOString() };
}

/** Maximum number of tests and redeliveries of one application in a minute, on all servers of the database together. */
const MAX_SENDS = 10;

/**
 * Adds a delivery with a sample of the registration's type; undefined if the registration has been deleted meanwhile. Rejects with BAD_USER_INPUT for an inactive registration, and with RATE_LIMITED
 * above the quota of its application.
 */
export async function sendSample(database: ChainStatements, registration: WebhookRegistration) {
  if (!registration.active) throw inactiveError('id');
  const id = randomBytes(16).toString('hex');
  const body = JSON.stringify(sampleBody(registration, new Date()));
  return database.transaction(async (query) => {
    await countSend(query, registration.app);
    const [bodyHash] = await insertBodies(query, [{ app: registration.app, body }]);
    await addDeliveries(query, [{ id, registrationId: registration.id, eventId: null, bodyHash: bodyHash! }]);
    return changedDelivery(query, id);
  });
}

/**
 * Sends a finished delivery again, with its id; undefined if the scope does not have it. Rejects with BAD_USER_INPUT
 * for an unfinished delivery and for a delivery of an inactive registration, and with RATE_LIMITED above the quota of
 * its application.
 */
export async function redeliver(database: ChainStatements, scope: RegistrationScope, id: string) {
  if (!isStorable(id)) return undefined;
  return database.transaction(async (query) => {
    const [owned] = await readDeliveries(query, [id], true);
    if (owned?.chainId !== query.chainId || (scope !== undefined && scope !== owned.app)) return undefined;
    if (!owned.isActive) throw inactiveError('deliveryId');
    const { status } = owned.delivery;
    if (status === 'PENDING' || status === 'RETRYING') {
      const message = `Invalid \`input.deliveryId\`. The delivery is ${status}. Pass one that is DELIVERED or DEAD.`;
      throw new GraphError('BAD_USER_INPUT', message);
    }
    await countSend(query, owned.app);
    await requeueDelivery(query, id);
    return changedDelivery(query, id);
  });
}

/** Counts a test or a redelivery in the transaction of `query`. Rejects with RATE_LIMITED, and counts nothing, above the quota. */
async function countSend(query: Query, app: string): Promise<void> {
  // The times of the last sends, the newest first. The row's lock serializes the counts of concurrent operations.
  const statement = `insert into webhook_send_quotas as quota (app, sent_at) values ($1, array[clock_timestamp()])
     on conflict (app) do update set sent_at = (array[clock_timestamp()] || quota.sent_at)[1:${MAX_SENDS}]
     where coalesce(quota.sent_at[${MAX_SENDS}] <= clock_timestamp() - interval '1 minute', true) returning app`;
  if ((await query(statement, [app])).length > 0) return;
  const [quota] = await query<{ wait_ms: number }>(
    `select ceil(extract(epoch from sent_at[${MAX_SENDS}] + interval '1 minute' - clock_timestamp()) * 1000)::integer as wait_ms
     from webhook_send_quotas where app = $1`,
    [app],
  );
  const retryAfterMs = Math.max(1, quota!.wait_ms);
  const message = `The application exceeds ${MAX_SENDS} tests and redeliveries per minute. Send the request again after ${retryAfterMs} ms.`;
  throw new GraphError('RATE_LIMITED', message, { limit: MAX_SENDS, retryAfterMs });
}

async function changedDelivery(query: Query, id: string): Promise<WebhookDelivery | undefined> {
  const [changed] = await readDeliveries(query, [id]);
  return changed?.delivery;
}

const inactiveError = (field: string): GraphError =>
  new GraphError('BAD_USER_INPUT', `Invalid \`input.${field}\`. The webhook is not active. Activate it with \`updateWebhook\`.`);
