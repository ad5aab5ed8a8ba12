import type {
  WebhookDelivery as Delivery,
  DeliveryStatus,
  GasPriceTrigger,
  Webhook,
  WebhookType,
} from '../../../generated/webhooks.ts';
import { createPage, type PageRequest } from '../../../graphql/connections.ts';

export type { DeliveryStatus, GasPriceTrigger };

/** A registration: the notifications that an application receives, and their destination. */
export interface WebhookRegistration extends Omit<Webhook, 'addresses' | 'deliveries' | 'type'> {
  readonly type: Exclude<WebhookType, 'CAPACITY_EXCEEDED'>;
  /** Null because they are rows of another table; empty for GAS_PRICE. */
  readonly addresses?: Webhook['addresses'] | undefined;
}

/** The tokens that sign the deliveries of a registration. */
export interface SigningTokens {
  readonly current: string;
  /** Signs in addition to the current token until its grace period ends. */
  readonly previous: string | null;
}

/** One notification to one receiver. */
export interface WebhookDelivery extends Omit<Delivery, 'attemptLog' | 'event' | 'webhook'> {
  readonly registrationId: string;
  /** The stored event; null for a test. */
  readonly eventId: string | null;
}

/**
 * A page of the first `size` items. The caller has read one more item if there is another page. The id of an item is its
 * cursor.
 */
export function pageOf<Node extends { readonly id: string }>(found: readonly Node[], { size, after }: PageRequest) {
  const edges = found.slice(0, size).map((node) => ({ cursor: node.id, node }));
  return createPage(edges, found.length > edges.length, after !== undefined);
}
