import type { MutationResolvers, WebhookDeliveryResolvers, WebhookResolvers } from '../../../generated/webhooks.ts';

export const webhookResolvers: WebhookResolvers = {
  addresses: (registration, _args, { webhooks }) => webhooks.registrations.addressesOf(registration),
  deliveries: ({ id }, args, { webhooks }) => webhooks.deliveries.of(id, args),
};

export const webhookDeliveryResolvers: WebhookDeliveryResolvers = {
  webhook: (delivery, _args, { webhooks }) => webhooks.registrations.ofDelivery(delivery),
  event: (delivery, _args, { webhooks }) => webhooks.deliveries.event(delivery),
  attemptLog: (delivery, _args, { webhooks }) => webhooks.deliveries.attempts(delivery),
};

export const webhooksMutationResolvers: MutationResolvers = {
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
