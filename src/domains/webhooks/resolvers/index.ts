import type { Data } from '../../../ethereum/hex.ts';
import type { Account, Resolvers } from '../../../generated/webhooks.ts';
import type { StreamingResolvers } from '../../../graphql/stream.ts';
import type { WebhooksContext } from '../loaders/index.ts';
import type { ContentOf, EventContent, WebhookEventModel, WebhookType } from '../model.ts';

const OBJECT_TYPES = {
  MINED_TRANSACTION: 'MinedTransactionEvent',
  DROPPED_TRANSACTION: 'DroppedTransactionEvent',
  ADDRESS_ACTIVITY: 'AddressActivityEvent',
  GAS_PRICE: 'GasPriceEvent',
  CAPACITY_EXCEEDED: 'CapacityExceededEvent',
} as const satisfies Record<WebhookType, string>;

const typeOf = (event: WebhookEventModel): WebhookType => ('content' in event ? event.content.type : event.type);

/** A resolver of a field of the content. Only a live event already has its content; otherwise the resolver loads it. */
const contentField =
  <Content extends EventContent, T>(read: (content: Content, event: WebhookEventModel, context: WebhooksContext) => T) =>
  (event: WebhookEventModel, _args: object, context: WebhooksContext): T | Promise<Awaited<T>> =>
    'content' in event
      ? read(event.content as Content, event, context)
      : (context.webhooks.contentOf(event).then((content) => read(content as Content, event, context)) as Promise<Awaited<T>>);

type WithTransaction = ContentOf<'MINED_TRANSACTION' | 'DROPPED_TRANSACTION'>;
type CapacityExceeded = ContentOf<'CAPACITY_EXCEEDED'>;

/** Resolvers of the events of a transaction. */
const transactionEventResolvers = {
  type: typeOf,
  hash: contentField(({ fullTransaction }: WithTransaction) => fullTransaction.hash),
  fullTransaction: contentField(({ fullTransaction }: WithTransaction) => fullTransaction),
  transaction: contentField(({ fullTransaction }: WithTransaction, _event, { webhooks }) =>
    webhooks.transaction(fullTransaction.hash),
  ),
};

const accountKeyOf = (address: Data | null): Account | null => (address === null ? null : { address, _at: null });

/** Resolvers of this domain. A field without a resolver is the property with its name on the types of model.ts. */
export const webhooksResolvers: StreamingResolvers<Resolvers> = {
  Query: {
    webhookEvents: (_query, args, { webhooks }) => webhooks.events(args),
    webhooks: (_query, args, { webhooks }) => webhooks.registrations.list(args),
    webhook: (_query, { id }, { webhooks }) => webhooks.registrations.find(id),
  },
  Mutation: {
    createWebhook: (_mutation, { input }, { webhooks }) => webhooks.registrations.create(input),
    updateWebhook: (_mutation, { input }, { webhooks }) => webhooks.registrations.update(input),
    deleteWebhook: (_mutation, { input }, { webhooks }) => webhooks.registrations.remove(input.id),
    testWebhook: (_mutation, { input }, { webhooks }) => webhooks.registrations.test(input.id),
    rotateWebhookToken: (_mutation, { input }, { webhooks }) => webhooks.registrations.rotate(input.id),
    redeliver: (_mutation, { input }, { webhooks }) => webhooks.registrations.redeliver(input.deliveryId),
  },
  Subscription: {
    webhookEvents: { subscribe: (_root, { types, after }, { webhooks }) => webhooks.eventStream(types, after) },
    addressActivity: { subscribe: (_root, { addresses }, { webhooks }) => webhooks.activityStream(addresses) },
    webhookDeliveries: {
      subscribe: (_root, { webhookId }, { webhooks }) => webhooks.registrations.deliveryStream(webhookId),
    },
  },
  WebhookEvent: { __resolveType: (event) => OBJECT_TYPES[typeOf(event)] },
  MinedTransactionEvent: transactionEventResolvers,
  DroppedTransactionEvent: transactionEventResolvers,
  AddressActivityEvent: {
    type: typeOf,
    activity: contentField(({ activity }: ContentOf<'ADDRESS_ACTIVITY'>, { removed }) =>
      activity.map((transfer) => ({ ...transfer, removed })),
    ),
  },
  GasPriceEvent: { type: typeOf, gasPrice: contentField(({ gasPrice }: ContentOf<'GAS_PRICE'>) => gasPrice) },
  CapacityExceededEvent: {
    type: typeOf,
    error: contentField(({ error }: CapacityExceeded) => error),
    webhookType: contentField(({ webhookType }: CapacityExceeded) => webhookType),
  },
  AddressActivity: {
    from: ({ from }) => accountKeyOf(from),
    to: ({ to }) => accountKeyOf(to),
    block: async ({ blockNumber }, _args, { webhooks }) =>
      (await webhooks.isReached(blockNumber)) ? { number: blockNumber } : null,
  },
  RawContract: { token: ({ address }) => (address === null ? null : { address }) },
  Webhook: {
    addresses: (registration, _args, { webhooks }) => webhooks.registrations.addressesOf(registration),
    deliveries: ({ id }, args, { webhooks }) => webhooks.deliveries.of(id, args),
  },
  WebhookDelivery: {
    webhook: (delivery, _args, { webhooks }) => webhooks.registrations.ofDelivery(delivery),
    event: (delivery, _args, { webhooks }) => webhooks.deliveries.event(delivery),
    attemptLog: (delivery, _args, { webhooks }) => webhooks.deliveries.attempts(delivery),
  },
};
