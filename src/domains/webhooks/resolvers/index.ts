import type { Data } from '../../../ethereum/hex.ts';
import type {
  AddressActivityEventResolvers,
  AddressActivityResolvers,
  CapacityExceededEventResolvers,
  DroppedTransactionEventResolvers,
  GasPriceEventResolvers,
  MinedTransactionEventResolvers,
  MutationResolvers,
  NotifiedTransactionResolvers,
  QueryResolvers,
  RawContractResolvers,
  Resolvers,
  SubscriptionAddressActivityArgs,
  SubscriptionWebhookDeliveriesArgs,
  SubscriptionWebhookEventsArgs,
  WebhookDeliveryResolvers,
  WebhookEventResolvers,
  WebhookResolvers,
} from '../../../generated/webhooks.ts';
import type { WebhooksContext } from '../context.ts';
import type {
  AccountKey,
  ContentOf,
  EventContent,
  NotifiedTransaction,
  NotifiedTransactionModel,
  WebhookEventModel,
  WebhookType,
} from '../model.ts';

const OBJECT_TYPES = {
  MINED_TRANSACTION: 'MinedTransactionEvent',
  DROPPED_TRANSACTION: 'DroppedTransactionEvent',
  ADDRESS_ACTIVITY: 'AddressActivityEvent',
  GAS_PRICE: 'GasPriceEvent',
  CAPACITY_EXCEEDED: 'CapacityExceededEvent',
} as const satisfies Record<WebhookType, string>;

const typeOf = (event: WebhookEventModel): WebhookType => ('content' in event ? event.content.type : event.type);

/** A resolver of a field of the content, which only a live event has already. */
const contentField =
  <Content extends EventContent, T>(read: (content: Content, event: WebhookEventModel, context: WebhooksContext) => T) =>
  (event: WebhookEventModel, _args: object, context: WebhooksContext): T | Promise<Awaited<T>> =>
    'content' in event
      ? read(event.content as Content, event, context)
      : (context.webhooks.contentOf(event).then((content) => read(content as Content, event, context)) as Promise<Awaited<T>>);

const transactionOf = (transaction: NotifiedTransaction, event: WebhookEventModel): NotifiedTransactionModel =>
  'content' in event ? transaction : { ...transaction, event };

type Mined = ContentOf<'MINED_TRANSACTION'>;
type Dropped = ContentOf<'DROPPED_TRANSACTION'>;
type CapacityExceeded = ContentOf<'CAPACITY_EXCEEDED'>;

const webhookEventResolvers: WebhookEventResolvers = {
  __resolveType: (event) => OBJECT_TYPES[typeOf(event)],
};

const minedTransactionEventResolvers: MinedTransactionEventResolvers = {
  type: typeOf,
  hash: contentField(({ fullTransaction }: Mined) => fullTransaction.hash),
  fullTransaction: contentField(({ fullTransaction }: Mined, event) => transactionOf(fullTransaction, event)),
  transaction: contentField(({ fullTransaction }: Mined, _event, { webhooks }) => webhooks.transaction(fullTransaction.hash)),
};

const droppedTransactionEventResolvers: DroppedTransactionEventResolvers = {
  type: typeOf,
  hash: contentField(({ hash }: Dropped) => hash),
  fullTransaction: contentField(({ fullTransaction }: Dropped, event) => transactionOf(fullTransaction, event)),
  transaction: contentField(({ hash }: Dropped, _event, { webhooks }) => webhooks.transaction(hash)),
};

const notifiedTransactionResolvers: NotifiedTransactionResolvers = {
  inputData: (transaction, _args, { webhooks }) => webhooks.inputDataOf(transaction),
};

const addressActivityEventResolvers: AddressActivityEventResolvers = {
  type: typeOf,
  activity: contentField(({ activity }: ContentOf<'ADDRESS_ACTIVITY'>, { removed }) =>
    activity.map((transfer) => ({ ...transfer, removed })),
  ),
};

const gasPriceEventResolvers: GasPriceEventResolvers = {
  type: typeOf,
  gasPrice: contentField(({ gasPrice }: ContentOf<'GAS_PRICE'>) => gasPrice),
};

const capacityExceededEventResolvers: CapacityExceededEventResolvers = {
  type: typeOf,
  error: contentField(({ error }: CapacityExceeded) => error),
  webhookType: contentField(({ webhookType }: CapacityExceeded) => webhookType),
};

const webhooksSubscriptionResolvers = {
  webhookEvents: {
    subscribe: (_root: unknown, { types, after }: SubscriptionWebhookEventsArgs, { webhooks }: WebhooksContext) =>
      webhooks.eventStream(types, after),
  },
  addressActivity: {
    subscribe: (_root: unknown, { addresses }: SubscriptionAddressActivityArgs, { webhooks }: WebhooksContext) =>
      webhooks.activityStream(addresses),
  },
  webhookDeliveries: {
    subscribe: (_root: unknown, { webhookId }: SubscriptionWebhookDeliveriesArgs, { webhooks }: WebhooksContext) =>
      webhooks.registrations.deliveryStream(webhookId),
  },
};

const webhookResolvers: WebhookResolvers = {
  addresses: (registration, _args, { webhooks }) => webhooks.registrations.addressesOf(registration),
  deliveries: ({ id }, args, { webhooks }) => webhooks.deliveries.of(id, args),
};

const webhookDeliveryResolvers: WebhookDeliveryResolvers = {
  webhook: (delivery, _args, { webhooks }) => webhooks.registrations.ofDelivery(delivery),
  event: (delivery, _args, { webhooks }) => webhooks.deliveries.event(delivery),
  attemptLog: (delivery, _args, { webhooks }) => webhooks.deliveries.attempts(delivery),
};

const webhooksMutationResolvers: MutationResolvers = {
  createWebhook: (_mutation, { input }, { webhooks }) => webhooks.registrations.create(input),
  async updateWebhook(_mutation, { input }, { webhooks }) {
    const webhook = await webhooks.registrations.update(input);
    return webhook && { webhook };
  },
  deleteWebhook: async (_mutation, { input: { id } }, { webhooks }) =>
    (await webhooks.registrations.remove(id)) ? { deletedId: id } : null,
  async testWebhook(_mutation, { input }, { webhooks }) {
    const delivery = await webhooks.registrations.test(input.id);
    return delivery && { delivery };
  },
  rotateWebhookToken: (_mutation, { input }, { webhooks }) => webhooks.registrations.rotate(input.id),
  async redeliver(_mutation, { input }, { webhooks }) {
    const delivery = await webhooks.registrations.redeliver(input.deliveryId);
    return delivery && { delivery };
  },
};

const webhooksQueryResolvers: QueryResolvers = {
  webhookEvents: (_query, args, { webhooks }) => webhooks.events(args),
  webhooks: (_query, args, { webhooks }) => webhooks.registrations.list(args),
  webhook: (_query, { id }, { webhooks }) => webhooks.registrations.find(id),
};

const accountKeyOf = (address: Data | null): AccountKey | null => (address === null ? null : { address, _at: null });

const addressActivityResolvers: AddressActivityResolvers = {
  from: ({ from }) => accountKeyOf(from),
  to: ({ to }) => accountKeyOf(to),
  block: async ({ blockNumber }, _args, { webhooks }) =>
    (await webhooks.isReached(blockNumber)) ? { number: blockNumber } : null,
};

const rawContractResolvers: RawContractResolvers = {
  token: ({ address }) => (address === null ? null : { address }),
};

/** Subscription resolvers return a `SourceStream`, which the generated types do not know. */
type WebhooksResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Resolvers of this domain. Other fields are properties of the same name on the types of model.ts. */
export const webhooksResolvers: WebhooksResolvers = {
  AddressActivity: addressActivityResolvers,
  AddressActivityEvent: addressActivityEventResolvers,
  CapacityExceededEvent: capacityExceededEventResolvers,
  DroppedTransactionEvent: droppedTransactionEventResolvers,
  GasPriceEvent: gasPriceEventResolvers,
  MinedTransactionEvent: minedTransactionEventResolvers,
  Mutation: webhooksMutationResolvers,
  NotifiedTransaction: notifiedTransactionResolvers,
  Query: webhooksQueryResolvers,
  RawContract: rawContractResolvers,
  Subscription: webhooksSubscriptionResolvers,
  Webhook: webhookResolvers,
  WebhookDelivery: webhookDeliveryResolvers,
  WebhookEvent: webhookEventResolvers,
};
