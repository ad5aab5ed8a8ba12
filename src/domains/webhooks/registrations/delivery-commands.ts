import { randomBytes } from 'node:crypto';
import { GraphError } from '../../../errors.ts';
import { addDeliveries, requeueDelivery } from '../delivery/jobs.ts';
import { insertBodies } from '../store/delivery-bodies.ts';
import { readDeliveries } from '../store/delivery-store.ts';
import type { Query } from '../store/query.ts';
import { isStorable, type Statements } from '../store/statements.ts';
import type { WebhookDelivery, WebhookRegistration } from './model.ts';
import type { RegistrationScope } from './registration-store.ts';
import { sampleBody } from './sample-body.ts';

/** Adds a delivery with a sample of the registration's type. Rejects with BAD_USER_INPUT for an inactive registration. */
export async function sendSample(database: Statements, registration: WebhookRegistration): Promise<WebhookDelivery> {
  if (!registration.active) throw inactiveError('id');
  const id = randomBytes(16).toString('hex');
  const body = JSON.stringify(sampleBody(registration, new Date()));
  return database.transaction(async (query) => {
    const [bodyHash] = await insertBodies(query, [{ app: registration.app, body }]);
    await addDeliveries(query, [{ id, registrationId: registration.id, eventId: null, bodyHash: bodyHash! }]);
    return changedDelivery(query, id);
  });
}

/**
 * Sends a finished delivery again, with its id; undefined if the scope does not have it. Rejects with BAD_USER_INPUT for one that is still sent,
 * and for that of an inactive registration.
 */
export async function redeliver(
  database: Statements,
  scope: RegistrationScope,
  id: string,
): Promise<WebhookDelivery | undefined> {
  if (!isStorable(id)) return undefined;
  return database.transaction(async (query) => {
    const [owned] = await readDeliveries(query, [id], true);
    if (!owned || (scope !== undefined && scope !== owned.app)) return undefined;
    if (!owned.isActive) throw inactiveError('deliveryId');
    const { status } = owned.delivery;
    if (status === 'PENDING' || status === 'RETRYING') {
      const message = `Invalid \`input.deliveryId\`. The delivery is ${status}. Pass one that is DELIVERED or DEAD.`;
      throw new GraphError('BAD_USER_INPUT', message);
    }
    await requeueDelivery(query, id);
    return changedDelivery(query, id);
  });
}

async function changedDelivery(query: Query, id: string): Promise<WebhookDelivery> {
  const [changed] = await readDeliveries(query, [id]);
  return changed!.delivery;
}

const inactiveError = (field: string): GraphError =>
  new GraphError('BAD_USER_INPUT', `Invalid \`input.${field}\`. The webhook is not active. Activate it with \`updateWebhook\`.`);
