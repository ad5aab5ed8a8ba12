import type { Data } from '../../../ethereum/hex.ts';
import type { WebhookType } from '../../../generated/webhooks.ts';
import { createPage, type Page } from '../../../graphql/connections.ts';

/**
 * Condition of a gas price registration: the registration is notified while the price of this speed is above or below a
 * threshold, in gwei. At least one is set.
 */
export interface GasPriceTrigger {
  readonly speed: 'SAFE_LOW' | 'AVERAGE' | 'FAST' | 'FASTEST';
  readonly above: number | null;
  readonly below: number | null;
}

/** A registration: the notifications that an application receives, and their destination. */
export interface WebhookRegistration {
  readonly id: string;
  readonly app: string;
  readonly type: Exclude<WebhookType, 'CAPACITY_EXCEEDED'>;
  readonly url: string;
  readonly active: boolean;
  /** Lower-case addresses, sorted; undefined if they were not read, empty for GAS_PRICE. */
  readonly addresses?: readonly Data[] | undefined;
  /** Null for other types than GAS_PRICE. */
  readonly gasPrice: GasPriceTrigger | null;
  /** Number of blocks, including the block of the event, after which a notification is sent. */
  readonly confirmations: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The tokens that sign the deliveries of a registration. */
export interface SigningTokens {
  readonly current: string;
  /** Signs in addition to the current token until its grace period ends. */
  readonly previous: string | null;
}

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'RETRYING' | 'DEAD';

/** One notification to one receiver. */
export interface WebhookDelivery {
  /** Header `webhook-id` of every attempt, also of a redelivery. */
  readonly id: string;
  readonly registrationId: string;
  /** The stored event; null for a test. */
  readonly eventId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** ISO 8601; null unless PENDING or RETRYING. */
  readonly nextAttemptAt: string | null;
  readonly lastStatusCode: number | null;
  /** ISO 8601. */
  readonly deliveredAt: string | null;
}

/**
 * A page of the first `size` items. The caller has read one more item if there is another page. The id of an item is its
 * cursor.
 */
export function pageOf<Node extends { readonly id: string }>(
  found: readonly Node[],
  { size, after }: { readonly size: number; readonly after: string | undefined },
) {
  const edges = found.slice(0, size).map((node) => ({ cursor: node.id, node }));
  return createPage(edges, found.length > edges.length, after !== undefined);
}

export type RegistrationPage = Page<WebhookRegistration>;
export type DeliveryPage = Page<WebhookDelivery>;
