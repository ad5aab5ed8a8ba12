import DataLoader from 'dataloader';
import { MAX_PAGE_SIZE, type PageArgs, pageRequestOf } from '../../../graphql/connections.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { WebhookEventHeader } from '../model.ts';
import { type DeliveryPage, type DeliveryStatus, pageOf, type WebhookDelivery } from '../registrations/model.ts';
import type { DeliveryAttempt } from '../store/delivery-rows.ts';
import type { DeliveryRange, DeliveryStore } from '../store/delivery-store.ts';
import type { EventStore } from '../store/event-store.ts';

/** State that the delivery loaders of all operations share. */
export interface DeliverySources {
  readonly deliveries: DeliveryStore;
  readonly store: EventStore;
}

/** Arguments of a page of deliveries. */
export interface DeliveryPageArgs extends PageArgs {
  readonly status?: DeliveryStatus | null | undefined;
}

const rangeKey = ({ registrationId, status, before, limit }: DeliveryRange): string =>
  [registrationId, status, before, limit].join(' ');

/**
 * Creates the delivery loaders of one operation: one statement for the deliveries, attempts or events of a whole page. They check no caller: a
 * registration or a delivery that an operation has read is its caller's.
 */
export function deliveryLoaders({ deliveries, store }: DeliverySources, operation: Operation) {
  // Not cached: a later mutation of the operation may add deliveries.
  const pages = new DataLoader<DeliveryRange, readonly WebhookDelivery[], string>((ranges) => deliveries.newest(ranges), {
    cache: false,
    cacheKeyFn: rangeKey,
  });
  const attempts = new DataLoader<string, readonly DeliveryAttempt[]>((ids) => deliveries.attemptsOf(ids), { cache: false });
  const events = new DataLoader<string, WebhookEventHeader | undefined>((ids) => store.findAll(ids));

  return {
    /** A page of the deliveries of a registration, the newest first. */
    async of(registrationId: string, { status, first, after }: DeliveryPageArgs): Promise<DeliveryPage> {
      const page = pageRequestOf({ first, after }, { maxSize: MAX_PAGE_SIZE });
      operation.dependencies.addVolatile();
      const before = page.after === undefined ? undefined : await deliveries.sequenceOf(registrationId, page.after);
      if (page.after !== undefined && before === undefined)
        throw new GraphError('CURSOR_EXPIRED', 'The delivery of `after` is not one of this webhook. Start without `after`.');
      const range = { registrationId, status: status ?? undefined, before, limit: page.size + 1 };
      return pageOf(await pages.load(range), page);
    },

    /** The attempts of a delivery, the oldest first. */
    attempts: ({ id }: WebhookDelivery): Promise<readonly DeliveryAttempt[]> => attempts.load(id),

    /** The event of a delivery; null for a test, and once the event is deleted. */
    event: async ({ eventId }: WebhookDelivery): Promise<WebhookEventHeader | null> =>
      eventId === null ? null : ((await events.load(eventId)) ?? null),
  };
}
