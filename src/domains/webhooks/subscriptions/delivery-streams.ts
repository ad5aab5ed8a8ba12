import type { SourceStream } from '../../../graphql/stream.ts';
import type { WebhookDelivery } from '../registrations/model.ts';
import type { DeliveryFeed } from './delivery-feed.ts';

export interface WebhookDeliveryRoot {
  readonly webhookDeliveries: WebhookDelivery;
}

/** Selects deliveries; undefined selects those of every application, or to every webhook. */
export interface DeliveryScope {
  readonly app: string | undefined;
  readonly webhookId: string | undefined;
}

/** The subscriptions to deliveries. They share the feed, so their number does not increase the load on the database. */
export type DeliveryStreams = ReturnType<typeof createDeliveryStreams>;

export function createDeliveryStreams(feed: DeliveryFeed) {
  return {
    /** The deliveries of a scope as they change. Rejects with STORE_UNAVAILABLE while changes are not received. */
    async webhookDeliveries({ app, webhookId }: DeliveryScope): Promise<SourceStream<WebhookDeliveryRoot>> {
      await feed.ready();
      return {
        subscribe: ({ next, end }) =>
          feed.subscribe({
            next(changed) {
              const batch = changed
                .filter((owned) => app === undefined || owned.app === app)
                .filter(({ delivery }) => webhookId === undefined || delivery.registrationId === webhookId)
                .map(({ delivery }) => ({ root: { webhookDeliveries: delivery } }));
              if (batch.length > 0) next(batch);
            },
            end,
          }),
      };
    },
  };
}
