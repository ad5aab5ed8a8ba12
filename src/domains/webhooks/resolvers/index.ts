import type { Data } from '../../../ethereum/hex.ts';
import type {
  AddressActivityResolvers,
  MutationResolvers,
  QueryResolvers,
  RawContractResolvers,
  Resolvers,
  SubscriptionAddressActivityArgs,
  SubscriptionWebhookDeliveriesArgs,
  SubscriptionWebhookEventsArgs,
  WebhookDeliveryResolvers,
  WebhookResolvers,
} from '../../../generated/webhooks.ts';
import type { WebhooksContext } from '../context.ts';
import type { AccountKey } from '../model.ts';
import {
  addressActivityEventResolvers,
  capacityExceededEventResolvers,
  droppedTransactionEventResolvers,
  gasPriceEventResolvers,
  minedTransactionEventResolvers,
  notifiedTransactionResolvers,
  webhookEventResolvers,
} from './events.ts';

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
