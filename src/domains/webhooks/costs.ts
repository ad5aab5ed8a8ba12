import type { FieldWeight, FieldWeights } from '../../graphql/cost/field-cost.ts';
import { FREE_FIELD, firstPageSize, LEAF_COST, weightsOf } from '../../graphql/cost/field-cost.ts';

/** Objects of a page share one batched call; each object is charged a share of it. */
const batchedWeight: FieldWeight = { fixedCalls: 0.1 };

/** A transaction by its hash. Its own fields may need its receipt and its block. */
const transactionWeight: FieldWeight = { calls: 1, referenceCalls: 2, returns: 'items' };

/** A token whose name, symbol and decimals are read, one call each; free if only fields derived from its address are selected. */
const tokenWeight: FieldWeight = {
  distinct: { calls: 3 },
  knownFields: new Set(['address', 'account', 'transfers', '__typename']),
};

/** The values of the fields of the interface WebhookEvent, which routers do not count. */
const INTERFACE_VALUES_COST = 7 * LEAF_COST;

/** Transfers of one notification, as far as the notification service documents them. */
const TYPICAL_ACTIVITIES = 2;

/** Assumed number of addresses of one registration. */
const TYPICAL_ADDRESSES = 10;

/** Attempts of one delivery: most succeed at once. */
const TYPICAL_ATTEMPTS = 2;

/** A transaction of a few statements. */
const mutationWeight: FieldWeight = { calls: 5 };

/** A transaction, and a request to a receiver, whose response may take up to 15 seconds. */
const deliveryMutationWeight: FieldWeight = { calls: 20 };

/** A page that is read with two statements. */
const pageWeight: FieldWeight = { fixedCalls: 2, size: firstPageSize, sizedFields: ['nodes', 'edges'] };

/** Cost weights of the fields of this domain. */
export const webhooksWeights: FieldWeights = {
  // Two statements of the database: a statement for the cursor and a statement for the page; contents are charged by
  // their fields.
  'Query.webhookEvents': pageWeight,
  'WebhookEventConnection.nodes': { calls: INTERFACE_VALUES_COST },
  'WebhookEventEdge.node': { calls: INTERFACE_VALUES_COST },
  // The cost of one event; the feed reads it once for all subscribers.
  'Subscription.webhookEvents': { ...batchedWeight, calls: INTERFACE_VALUES_COST },
  'Subscription.addressActivity': batchedWeight,
  ...weightsOf(batchedWeight, 'MinedTransactionEvent.hash', 'MinedTransactionEvent.fullTransaction'),
  ...weightsOf(transactionWeight, 'MinedTransactionEvent.transaction', 'DroppedTransactionEvent.transaction'),
  ...weightsOf(batchedWeight, 'DroppedTransactionEvent.hash', 'DroppedTransactionEvent.fullTransaction'),
  'AddressActivityEvent.activity': { ...batchedWeight, size: TYPICAL_ACTIVITIES },
  ...weightsOf(batchedWeight, 'GasPriceEvent.gasPrice', 'CapacityExceededEvent.error', 'CapacityExceededEvent.webhookType'),
  // Two statements of the database with a cursor.
  'Query.webhooks': pageWeight,
  'Query.webhook': { calls: 1 },
  // A cursor needs a separate statement; one statement reads everything else for a page of webhooks.
  'Webhook.deliveries': { ...pageWeight, ...batchedWeight, argument: { name: 'after', calls: 1 } },
  'Webhook.addresses': { fixedCalls: 0.1, size: TYPICAL_ADDRESSES },
  ...weightsOf(batchedWeight, 'WebhookDelivery.webhook', 'Subscription.webhookDeliveries'),
  'WebhookDelivery.event': { ...batchedWeight, calls: INTERFACE_VALUES_COST },
  'WebhookDelivery.attemptLog': { ...batchedWeight, size: TYPICAL_ATTEMPTS },
  ...weightsOf(mutationWeight, 'Mutation.createWebhook', 'Mutation.updateWebhook'),
  ...weightsOf(mutationWeight, 'Mutation.deleteWebhook', 'Mutation.rotateWebhookToken'),
  ...weightsOf(deliveryMutationWeight, 'Mutation.testWebhook', 'Mutation.redeliver'),
  'AddressActivity.block': { calls: 1, returns: 'containers' },
  // Return only keys; the fields of the entities are charged themselves.
  ...weightsOf(FREE_FIELD, 'AddressActivity.from', 'AddressActivity.to'),
  'RawContract.token': tokenWeight,
};
