import type {
  SubscriptionAddressActivityArgs,
  SubscriptionWebhookDeliveriesArgs,
  SubscriptionWebhookEventsArgs,
} from '../../../generated/webhooks.ts';
import type { WebhooksContext } from '../context.ts';

export const webhooksSubscriptionResolvers = {
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
