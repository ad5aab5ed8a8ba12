import type { Resolvers } from '../../../generated/webhooks.ts';
import { addressActivityResolvers, rawContractResolvers } from './activity.ts';
import {
  addressActivityEventResolvers,
  capacityExceededEventResolvers,
  droppedTransactionEventResolvers,
  gasPriceEventResolvers,
  minedTransactionEventResolvers,
  notifiedTransactionResolvers,
  webhookEventResolvers,
} from './events.ts';
import { webhooksQueryResolvers } from './query.ts';
import { webhookDeliveryResolvers, webhookResolvers, webhooksMutationResolvers } from './registrations.ts';
import { webhooksSubscriptionResolvers } from './subscription.ts';

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
