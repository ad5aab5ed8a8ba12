import type { Data, Quantity } from '../../ethereum/hex.ts';

/** The kinds of events; the names of the enum `WebhookType`. */
export const WEBHOOK_TYPES = [
  'MINED_TRANSACTION',
  'DROPPED_TRANSACTION',
  'ADDRESS_ACTIVITY',
  'GAS_PRICE',
  'CAPACITY_EXCEEDED',
] as const;

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** A transaction as a notification carried it, with quantities as 0x-hex. The block fields are null for a dropped transaction. */
export interface NotifiedTransaction {
  readonly hash: Data;
  readonly nonce: Quantity;
  readonly blockHash: Data | null;
  readonly blockNumber: Quantity | null;
  readonly transactionIndex: Quantity | null;
  readonly from: Data;
  /** Null for a contract creation. */
  readonly to: Data | null;
  /** Wei. */
  readonly value: Quantity;
  /** Wei; null where the notification has none. */
  readonly gasPrice: Quantity | null;
  readonly gas: Quantity;
  readonly inputData: Data;
  readonly v: Quantity | null;
  readonly r: Quantity | null;
  readonly s: Quantity | null;
}

/** The contract and the exact amount of a transfer. All fields are null where the notification has none. */
export interface RawContract {
  readonly rawValue: Quantity | null;
  readonly address: Data | null;
  readonly decimals: number | null;
}

/** One transfer of an address activity. */
export interface AddressActivity {
  /** 20 bytes, without the padding of the notification. */
  readonly from: Data | null;
  readonly to: Data | null;
  readonly blockNumber: Quantity;
  /** Null where the notification names no transaction. */
  readonly transactionHash: Data | null;
  /** `token` is the only category that the notification service documents. */
  readonly category: string;
  /** Decoded amount in units of the asset; a double, so not exact. */
  readonly value: number | null;
  readonly asset: string | null;
  /** Of an ERC-721 token; null or absent where the notification names none. */
  readonly tokenId?: Quantity | null;
  readonly rawContract: RawContract;
}

/** A transfer, and whether the chain has lost the block of its event. */
export interface NotifiedActivity extends AddressActivity {
  readonly removed: boolean;
}

/** Gas prices in gwei and waiting times in minutes, as the notification service states them. */
export interface GasPriceMetadata {
  readonly fast: number;
  readonly fastest: number;
  readonly safeLow: number;
  readonly average: number;
  /** Seconds. */
  readonly blockTime: number | null;
  readonly blockNumber: Quantity | null;
  readonly speed: number | null;
  readonly safeLowWait: number | null;
  readonly avgWait: number | null;
  readonly fastWait: number | null;
  readonly fastestWait: number | null;
}

/** What an event of each type has besides the common fields. */
export type EventContent =
  | { readonly type: 'MINED_TRANSACTION'; readonly fullTransaction: NotifiedTransaction }
  | { readonly type: 'DROPPED_TRANSACTION'; readonly hash: Data; readonly fullTransaction: NotifiedTransaction }
  | { readonly type: 'ADDRESS_ACTIVITY'; readonly activity: readonly AddressActivity[] }
  | { readonly type: 'GAS_PRICE'; readonly gasPrice: GasPriceMetadata }
  | { readonly type: 'CAPACITY_EXCEEDED'; readonly error: string; readonly webhookType: string | null };

/** The content of events of one type. */
export type ContentOf<Type extends WebhookType> = Extract<EventContent, { type: Type }>;

/** The fields that the body of every notification has. */
export interface NotificationHeader {
  /** Name of the application that the body names. */
  readonly app: string;
  readonly network: string;
  /** ISO 8601 in UTC; null where the notification has none. */
  readonly timestamp: string | null;
}

/** A decoded notification. */
export interface Notification extends NotificationHeader {
  readonly content: EventContent;
}

/** An event before it is stored. */
export interface NewWebhookEvent extends Notification {
  /** From what happened, so that a repeated notification has the same id. */
  readonly id: string;
  /** SHA-256 of the application and the body: a body that was received in the last day is a repeat. */
  readonly bodyHash: Buffer;
}

/** A stored event. */
export interface StoredWebhookEvent extends Notification {
  readonly id: string;
  /** Position in the order in which events were stored. */
  readonly sequence: bigint;
  /** ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** Whether the embedded chain has lost the block of the event. */
  readonly removed: boolean;
}

export type StoredAddressActivity = StoredWebhookEvent & { readonly content: ContentOf<'ADDRESS_ACTIVITY'> };

/** A stored event without its content, which is read where an operation selects a field of it. */
export interface WebhookEventHeader extends Omit<StoredWebhookEvent, 'content'> {
  readonly type: WebhookType;
  /** Size of the content in the database. */
  readonly contentBytes: number;
}

/** An event as resolvers receive it. A live event has its content. */
export type WebhookEventModel = StoredWebhookEvent | WebhookEventHeader;

/** A transaction as resolvers receive it. Its input data is read separately where it has an event. */
export interface NotifiedTransactionModel extends NotifiedTransaction {
  readonly event?: WebhookEventHeader;
}

/** A stored event in a page. */
export interface WebhookEventEdge {
  readonly cursor: string;
  readonly node: WebhookEventHeader;
}

/** A page of stored events. */
export interface WebhookEventPage {
  readonly edges: readonly WebhookEventEdge[];
  readonly nodes: readonly WebhookEventHeader[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** Keys of the entities of other domains. */
export interface AccountKey {
  readonly address: Data;
  /** Null is the operation's block. */
  readonly _at: string | null;
}

export interface BlockKey {
  readonly number: Quantity;
}

export interface TransactionKey {
  readonly hash: Data;
}

export interface TokenKey {
  readonly address: Data;
}

/** Selects events: of one application, or of all where `app` is undefined. */
export interface EventScope {
  readonly app: string | undefined;
  /** Undefined or empty selects every type. */
  readonly types?: readonly WebhookType[] | undefined;
}

/** Whether a scope includes an event. */
export const includesEvent = ({ app, types }: EventScope, event: Pick<StoredWebhookEvent, 'app' | 'content'>): boolean =>
  (app === undefined || app === event.app) && (!types || types.length === 0 || types.includes(event.content.type));
