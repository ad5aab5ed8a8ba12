import type { Data, Quantity } from '../../ethereum/hex.ts';
import type {
  AddressActivity as Activity,
  RawContract as Contract,
  GasPriceMetadata,
  NotifiedTransaction,
  WebhookType,
} from '../../generated/webhooks.ts';

export type { GasPriceMetadata, NotifiedTransaction, WebhookType };

/** The contract and the exact amount of a transfer. All fields are null if the notification does not have them. */
export type RawContract = Omit<Contract, 'token'>;

/** One transfer of an address activity. Its addresses have 20 bytes, without the padding of the notification. */
export interface AddressActivity extends Omit<Activity, 'block' | 'from' | 'to' | 'tokenId' | 'rawContract' | 'removed'> {
  readonly from: Data | null;
  readonly to: Data | null;
  /** Id of an ERC-721 token; null or absent if the notification names no id. */
  readonly tokenId?: Quantity | null;
  readonly rawContract: RawContract;
}

/** A transfer, and whether a reorg has removed the block of its event. */
export interface NotifiedActivity extends AddressActivity {
  readonly removed: boolean;
}

/** The fields of an event of each type besides the common fields. */
export type EventContent =
  | { readonly type: 'MINED_TRANSACTION'; readonly fullTransaction: NotifiedTransaction }
  | { readonly type: 'DROPPED_TRANSACTION'; readonly hash: Data; readonly fullTransaction: NotifiedTransaction }
  | { readonly type: 'ADDRESS_ACTIVITY'; readonly activity: readonly AddressActivity[] }
  | { readonly type: 'GAS_PRICE'; readonly gasPrice: GasPriceMetadata }
  | { readonly type: 'CAPACITY_EXCEEDED'; readonly error: string; readonly webhookType: string | null };

/** The content of events of one type. */
export type ContentOf<Type extends WebhookType> = Extract<EventContent, { type: Type }>;

/** A decoded notification. */
export interface Notification {
  /** Name of the application that the body names. */
  readonly app: string;
  readonly network: string;
  /** The value of the column `chain_id`. @default the default chain */
  readonly chainId?: string | undefined;
  /** ISO 8601 in UTC; null if the notification has no time. */
  readonly timestamp: string | null;
  readonly content: EventContent;
}

/** An event before it is stored. */
export interface NewWebhookEvent extends Notification {
  /**
   * Derived from the content of the notification, so that a repeat has an equal id; random for an event that may recur.
   */
  readonly id: string;
  /** SHA-256 of the application and the body. */
  readonly bodyHash: Buffer;
  /** Whether an equal body is a repeat only until the sender has its response, and not for a day. @default false */
  readonly mayRecur?: boolean;
}

/** A stored event. */
export interface StoredWebhookEvent extends Notification {
  readonly id: string;
  /** Position in the order in which events were stored. */
  readonly sequence: number;
  /** ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** Whether the embedded chain has lost the block of the event. */
  readonly removed: boolean;
}

export type StoredAddressActivity = StoredWebhookEvent & { readonly content: ContentOf<'ADDRESS_ACTIVITY'> };

/** A stored event without its content, which is read when an operation selects a field of the content. */
export interface WebhookEventHeader extends Omit<StoredWebhookEvent, 'content'> {
  readonly type: WebhookType;
  /** Size of the content in the database. */
  readonly contentBytes: number;
}

/** An event as resolvers receive it. A live event has its content. */
export type WebhookEventModel = StoredWebhookEvent | WebhookEventHeader;

/** Selects the events of one application and chain, or of all if `app` or `chainId` is undefined. */
export interface EventScope {
  readonly app: string | undefined;
  readonly chainId?: string | undefined;
  /** Null, undefined and empty select every type. */
  readonly types?: readonly WebhookType[] | null | undefined;
}

/** Whether a scope includes an event. */
export const includesEvent = ({ app, chainId, types }: EventScope, event: Omit<Notification, 'network' | 'timestamp'>): boolean =>
  (app === undefined || app === event.app) &&
  (chainId === undefined || chainId === event.chainId) &&
  (!types || types.length === 0 || types.includes(event.content.type));
