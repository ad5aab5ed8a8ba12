import type { QueryResolvers } from '../../../generated/webhooks.ts';

export const webhooksQueryResolvers: QueryResolvers = {
  webhookEvents: (_query, args, { webhooks }) => webhooks.events(args),
  webhooks: (_query, args, { webhooks }) => webhooks.registrations.list(args),
  webhook: (_query, { id }, { webhooks }) => webhooks.registrations.find(id),
};
