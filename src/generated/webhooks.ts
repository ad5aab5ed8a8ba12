import type { AbiInput } from '../ethereum/abi/writer.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { NotifiedActivity, WebhookEventModel, RawContract as RawContractModel } from '../domains/webhooks/model.ts';
import type { WebhookRegistration, WebhookDelivery as WebhookDeliveryModel } from '../domains/webhooks/registrations/model.ts';
import type { WebhooksContext } from '../domains/webhooks/loaders/index.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * An argument of a contract function, only as input. Integers: a JSON integer, a decimal string with a minus sign when negative, or a 0x-prefixed hex
   * string; `bool`: a boolean; addresses, bytes and strings: a string; an array: a list; a tuple: a list of its members in order.
   */
  AbiValue: { input: AbiInput; output: AbiInput; }
  /** A 20-byte account address as 0x-prefixed hex. Input: either case; mixed case must be a correct EIP-55 checksum. Output: lower case. */
  Address: { input: string; output: string; }
  /**
   * An unsigned integer of up to 256 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  BigInt: { input: string; output: string; }
  /** Bytes of any length as 0x-prefixed hex with an even number of digits; empty is `0x`. Output: lower case. */
  Bytes: { input: string; output: string; }
  /** Exactly 32 bytes as 0x-prefixed hex. Input: 64 digits in either case. Output: lower case, always 66 characters. */
  Bytes32: { input: string; output: string; }
  /** Id of a chain (EIP-155). Input: a JSON integer, a decimal string or a 0x-prefixed hex string. Output: 0x-prefixed hex without leading zeros. */
  ChainId: { input: string; output: string; }
  /** An instant in UTC as ISO 8601, for example `2026-01-01T00:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /**
   * An integer of any size as a decimal string, without loss of precision. Input: a JSON integer or a decimal string, with a minus sign when negative;
   * at most 1,000 digits.
   */
  Decimal: { input: string; output: string; }
  /**
   * An unsigned integer of up to 64 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  Long: { input: string; output: string; }
  _FieldSet: { input: string; output: string; }
};

export type Account = {
  readonly _at: Maybe<Scalars['String']['output']>;
  readonly address: Scalars['Address']['output'];
};

/** One transfer of a notification. */
export type AddressActivity = {
  /** Symbol of the asset. Null where the notification states none. */
  readonly asset: Maybe<Scalars['String']['output']>;
  /** Block of the transfer. Null while its height is above the operation's block. */
  readonly block: Maybe<Block>;
  /** Height of the block of the transfer. */
  readonly blockNumber: Scalars['Long']['output'];
  /**
   * Category as the notification service spells it; `token` is the one that it documents. Events of this server: `external` for the value of a transaction, `internal` for
   * a transfer of ether inside one (`WEBHOOK_INTERNAL_TRANSFERS`), `token` and `erc721`.
   */
  readonly category: Scalars['String']['output'];
  /** Account that sends, at the operation's block. Null where the notification names none. Costs no request if only its address is selected. */
  readonly from: Maybe<Account>;
  /** Contract and exact amount. */
  readonly rawContract: RawContract;
  /** Whether the chain has lost the block of the transfer. */
  readonly removed: Scalars['Boolean']['output'];
  /** Account that receives, at the operation's block. Null where the notification names none. Costs no request if only its address is selected. */
  readonly to: Maybe<Account>;
  /** Id of the transferred ERC-721 token. Null for other transfers, and where the notification states none. */
  readonly tokenId: Maybe<Scalars['BigInt']['output']>;
  /** Hash of the transaction. Null where the notification names none. */
  readonly transactionHash: Maybe<Scalars['Bytes32']['output']>;
  /** Amount in units of the asset, rounded to a double. `rawContract.rawValue` is exact. Null where the notification states none. */
  readonly value: Maybe<Scalars['Float']['output']>;
};

/** Transfers from or to the addresses that are registered with the notification service. */
export type AddressActivityEvent = WebhookEvent & {
  /** The transfers, in the order of the notification. */
  readonly activity: ReadonlyArray<AddressActivity>;
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /** From the transfers. Also the cursor of the event. */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** ADDRESS_ACTIVITY. */
  readonly type: WebhookType;
};

export type Block = {
  readonly number: Scalars['Long']['output'];
};

/** The notification service could not send a notification, because the monthly limit of compute units is exceeded. */
export type CapacityExceededEvent = WebhookEvent & {
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /** Text of the notification service. */
  readonly error: Scalars['String']['output'];
  /** From the text and the time. Also the cursor of the event. */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** CAPACITY_EXCEEDED. */
  readonly type: WebhookType;
  /** Type of the notification that could not be sent, as the service spells it. Null where it states none. */
  readonly webhookType: Maybe<Scalars['String']['output']>;
};

/** A new webhook. */
export type CreateWebhookInput = {
  /** Addresses whose transactions or transfers are notified, at most MAX_WEBHOOK_ADDRESSES. Required, except for GAS_PRICE, which has none. `updateWebhook` adds more than one request can carry. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Number of blocks, the one of the event included, after which a notification is sent: 1 to 64. */
  readonly confirmations?: InputMaybe<Scalars['Int']['input']>;
  /** When gas prices are notified. Required for GAS_PRICE; other types have none. */
  readonly gasPrice?: InputMaybe<GasPriceTriggerInput>;
  /** Type of the notifications. CAPACITY_EXCEEDED is not accepted: every webhook receives it. */
  readonly type: WebhookType;
  /** URL of the receiver: https, without user and password, not in a private network. */
  readonly url: Scalars['String']['input'];
};

/** A registered webhook and its token. */
export type CreateWebhookPayload = {
  /**
   * Token that signs the notifications, shown only here. `X-Svc-Signature` is the HMAC-SHA256 of the body in hex, with this text as the key;
   * `webhook-signature` follows Standard Webhooks.
   */
  readonly authToken: Scalars['String']['output'];
  /** The webhook. */
  readonly webhook: Webhook;
};

/** Selects a webhook to delete. */
export type DeleteWebhookInput = {
  /** Id of the webhook. */
  readonly id: Scalars['ID']['input'];
};

/** A deleted webhook. */
export type DeleteWebhookPayload = {
  /** Id of the deleted webhook. */
  readonly deletedId: Scalars['ID']['output'];
};

/** One HTTP request of a delivery. The body of the response is not stored. */
export type DeliveryAttempt = {
  /** Time at which the request was sent. */
  readonly attemptedAt: Scalars['DateTime']['output'];
  /** Milliseconds until the response or the failure. */
  readonly durationMs: Scalars['Int']['output'];
  /** Why the attempt failed, in words of this server. Null if it succeeded. */
  readonly error: Maybe<Scalars['String']['output']>;
  /** Number of the attempt; the first is 1. */
  readonly number: Scalars['Int']['output'];
  /** HTTP status of the response. Null if there was none. */
  readonly statusCode: Maybe<Scalars['Int']['output']>;
};

/** State of a delivery. */
export type DeliveryStatus =
  /** All attempts failed, or the receiver responded with 410. `redeliver` sends it again. */
  | 'DEAD'
  /** The receiver accepted it with a status from 200 to 299. */
  | 'DELIVERED'
  /** It has not been attempted since it was added or requested again. */
  | 'PENDING'
  /** The last attempt failed, and another one follows. */
  | 'RETRYING';

/** A transaction left the pool without being included in a block. */
export type DroppedTransactionEvent = WebhookEvent & {
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /** The transaction as the notification carried it, which may be the only copy. */
  readonly fullTransaction: NotifiedTransaction;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** From the hash of the transaction. Also the cursor of the event. */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** The transaction as the node has it now. Null unless it has reappeared. Source: `eth_getTransactionByHash`. */
  readonly transaction: Maybe<Transaction>;
  /** DROPPED_TRANSACTION. */
  readonly type: WebhookType;
};

/** The gas price of the main network crossed the threshold that was chosen with the notification service. */
export type GasPriceEvent = WebhookEvent & {
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /** The prices and waiting times. */
  readonly gasPrice: GasPriceMetadata;
  /** From the prices and the time. Also the cursor of the event. */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** GAS_PRICE. */
  readonly type: WebhookType;
};

/** Gas prices in gwei, and waiting times in minutes, as the notification service states them. */
export type GasPriceMetadata = {
  /** Price of a transaction that is mined in less than five minutes, in gwei. */
  readonly average: Scalars['Float']['output'];
  /** Minutes until a transaction at `average` is mined. Null where the notification states none. */
  readonly avgWait: Maybe<Scalars['Float']['output']>;
  /** Height of the block of the prices. Null where the notification states none. */
  readonly blockNumber: Maybe<Scalars['Long']['output']>;
  /** Seconds between blocks. Null where the notification states none. */
  readonly blockTime: Maybe<Scalars['Float']['output']>;
  /** Price of a fast transaction in gwei. */
  readonly fast: Scalars['Float']['output'];
  /** Minutes until a transaction at `fast` is mined. Null where the notification states none. */
  readonly fastWait: Maybe<Scalars['Float']['output']>;
  /** Price of the fastest transaction in gwei. */
  readonly fastest: Scalars['Float']['output'];
  /** Minutes until a transaction at `fastest` is mined. Null where the notification states none. */
  readonly fastestWait: Maybe<Scalars['Float']['output']>;
  /** Lowest price that is still mined, in gwei. */
  readonly safeLow: Scalars['Float']['output'];
  /** Minutes until a transaction at `safeLow` is mined. Null where the notification states none. */
  readonly safeLowWait: Maybe<Scalars['Float']['output']>;
  /** Speed of the network, as the notification service states it. Null where it states none. */
  readonly speed: Maybe<Scalars['Float']['output']>;
};

/** One of the prices of a gas price notification. */
export type GasPriceSpeed =
  /** `GasPriceMetadata.average`. */
  | 'AVERAGE'
  /** `GasPriceMetadata.fast`. */
  | 'FAST'
  /** `GasPriceMetadata.fastest`. */
  | 'FASTEST'
  /** `GasPriceMetadata.safeLow`. */
  | 'SAFE_LOW';

/** A threshold of the gas price. Notifications are sent each minute while the price is above or below it. */
export type GasPriceTrigger = {
  /** Gwei: notifies while the price is higher. Null without such a threshold. */
  readonly above: Maybe<Scalars['Float']['output']>;
  /** Gwei: notifies while the price is lower. Null without such a threshold. */
  readonly below: Maybe<Scalars['Float']['output']>;
  /** The price that is compared. */
  readonly speed: GasPriceSpeed;
};

/** When gas prices are notified. `above`, `below` or both are required. */
export type GasPriceTriggerInput = {
  /** Gwei: notifies while the price is higher. */
  readonly above?: InputMaybe<Scalars['Float']['input']>;
  /** Gwei: notifies while the price is lower. */
  readonly below?: InputMaybe<Scalars['Float']['input']>;
  /** The price that is compared. */
  readonly speed: GasPriceSpeed;
};

/** A transaction was included in a block, whether it succeeded or reverted. */
export type MinedTransactionEvent = WebhookEvent & {
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /** The transaction as the notification carried it. */
  readonly fullTransaction: NotifiedTransaction;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** From the hashes of the transaction and its block. Also the cursor of the event. */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** The transaction as the node has it now. Null if it no longer has it. Source: `eth_getTransactionByHash`. */
  readonly transaction: Maybe<Transaction>;
  /** MINED_TRANSACTION. */
  readonly type: WebhookType;
};

export type Mutation = {
  /** Registers a webhook of the caller's application, or of the application `default` for a local caller without a key. Needs a caller. */
  readonly createWebhook: Maybe<CreateWebhookPayload>;
  /** Deletes a webhook of the caller's application with its deliveries. Null if the application does not have it. Needs a caller. */
  readonly deleteWebhook: Maybe<DeleteWebhookPayload>;
  /**
   * Sends a finished delivery again, with the same id. Null if the caller's application does not have the delivery. RATE_LIMITED after ten tests and
   * redeliveries of the application in a minute. Needs a caller.
   */
  readonly redeliver: Maybe<RedeliverPayload>;
  /**
   * Replaces the auth token of a webhook. Until WEBHOOK_TOKEN_GRACE_HOURS have passed, the previous token signs beside the new one. Null if the caller's
   * application does not have the webhook. Needs a caller.
   */
  readonly rotateWebhookToken: Maybe<RotateWebhookTokenPayload>;
  /**
   * Sends a signed sample of the webhook's type to its URL. It is retried like every delivery. Null if the caller's application does not have the
   * webhook. RATE_LIMITED after ten tests and redeliveries of the application in a minute. Needs a caller.
   */
  readonly testWebhook: Maybe<TestWebhookPayload>;
  /** Changes a webhook of the caller's application. Null if the application does not have it. Needs a caller. */
  readonly updateWebhook: Maybe<UpdateWebhookPayload>;
};


export type MutationCreateWebhookArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: CreateWebhookInput;
};


export type MutationDeleteWebhookArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: DeleteWebhookInput;
};


export type MutationRedeliverArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: RedeliverInput;
};


export type MutationRotateWebhookTokenArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: RotateWebhookTokenInput;
};


export type MutationTestWebhookArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: TestWebhookInput;
};


export type MutationUpdateWebhookArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: UpdateWebhookInput;
};

/** The transaction object of a notification, as delivered. */
export type NotifiedTransaction = {
  /** Hash of its block. Null for a dropped transaction. */
  readonly blockHash: Maybe<Scalars['Bytes32']['output']>;
  /** Height of its block. Null for a dropped transaction. */
  readonly blockNumber: Maybe<Scalars['Long']['output']>;
  /** Address of the sender. */
  readonly from: Scalars['Address']['output'];
  /** Gas that the sender provided. */
  readonly gas: Scalars['Long']['output'];
  /** Gas price in wei. Null where the notification states none. */
  readonly gasPrice: Maybe<Scalars['BigInt']['output']>;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Input data of the call, or the code of a contract creation. */
  readonly inputData: Scalars['Bytes']['output'];
  /** Number of transactions that the sender had made before this one. */
  readonly nonce: Scalars['Long']['output'];
  /** Part of the signature. Null where the notification states none. */
  readonly r: Maybe<Scalars['BigInt']['output']>;
  /** Part of the signature. Null where the notification states none. */
  readonly s: Maybe<Scalars['BigInt']['output']>;
  /** Address of the recipient. Null for a contract creation. */
  readonly to: Maybe<Scalars['Address']['output']>;
  /** Position in its block. Null for a dropped transaction. */
  readonly transactionIndex: Maybe<Scalars['Long']['output']>;
  /** Recovery id of the signature. Null where the notification states none. */
  readonly v: Maybe<Scalars['BigInt']['output']>;
  /** Transferred amount in wei. */
  readonly value: Scalars['BigInt']['output'];
};

/** Position of a page in its list. */
export type PageInfo = {
  /** Cursor of the last entry of the page. Null if the page is empty. */
  readonly endCursor: Maybe<Scalars['String']['output']>;
  /** Whether there are entries after the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether there are entries before the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first entry of the page. Null if the page is empty. */
  readonly startCursor: Maybe<Scalars['String']['output']>;
};

export type Query = {
  /** A webhook by its id. Null if the caller's application does not have it. Needs a caller. */
  readonly webhook: Maybe<Webhook>;
  /**
   * Verified notifications that this server has stored for the caller's application, the newest first; those of all applications for a local caller
   * without a key. Needs a caller: UNAUTHENTICATED without one. STORE_UNAVAILABLE while the database does not respond. Null, with an error, if it fails.
   */
  readonly webhookEvents: Maybe<WebhookEventConnection>;
  /**
   * Webhooks that the caller's application has registered, the oldest first; those of all applications for a local caller without a key. Needs a caller.
   * Null, with an error, if the database fails.
   */
  readonly webhooks: Maybe<WebhookConnection>;
};


export type QueryWebhookArgs = {
  id: Scalars['ID']['input'];
};


export type QueryWebhookEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  types?: InputMaybe<ReadonlyArray<WebhookType>>;
};


export type QueryWebhooksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

/** The token contract and the exact amount of a transfer. */
export type RawContract = {
  /** Address of the token contract. Null for a transfer of the native coin. */
  readonly address: Maybe<Scalars['Address']['output']>;
  /** Decimals of the asset. Null where the notification states none. */
  readonly decimals: Maybe<Scalars['Int']['output']>;
  /** Amount in the smallest unit of the asset. Null where the notification states none. */
  readonly rawValue: Maybe<Scalars['BigInt']['output']>;
  /** The token. Null for a transfer of the native coin. */
  readonly token: Maybe<Token>;
};

/** Selects a delivery to send again. */
export type RedeliverInput = {
  /** Id of the delivery, which must be DELIVERED or DEAD, of an active webhook. */
  readonly deliveryId: Scalars['ID']['input'];
};

/** A delivery that is sent again. */
export type RedeliverPayload = {
  /** The delivery, which is sent in a moment. */
  readonly delivery: WebhookDelivery;
};

/** Selects a webhook whose token is replaced. */
export type RotateWebhookTokenInput = {
  /** Id of the webhook. */
  readonly id: Scalars['ID']['input'];
};

/** A webhook and its new token. */
export type RotateWebhookTokenPayload = {
  /** The new token, shown only here. */
  readonly authToken: Scalars['String']['output'];
  /** The webhook. */
  readonly webhook: Webhook;
};

export type Subscription = {
  /**
   * The transfers in new ADDRESS_ACTIVITY events of the caller's application, one event for each transfer. Needs a caller. To resume after a
   * disconnect, subscribe to `webhookEvents` with `after`.
   */
  readonly addressActivity: AddressActivity;
  /**
   * Deliveries to the webhooks of the caller's application as they are added and change, by any server on the database; of all applications for a local
   * caller without a key. Each event is the current state, so changes in quick succession may arrive as one. Ends with STORE_UNAVAILABLE when the
   * connection to the database is lost: read `Webhook.deliveries`, then subscribe again. Needs a caller.
   */
  readonly webhookDeliveries: WebhookDelivery;
  /**
   * Verified notifications of the caller's application, or of all for a local caller without a key, in the order in which any server on the
   * database stores them. Needs a caller. Source: `POST /webhooks` of every server.
   */
  readonly webhookEvents: WebhookEvent;
};


export type SubscriptionAddressActivityArgs = {
  addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
};


export type SubscriptionWebhookDeliveriesArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  webhookId?: InputMaybe<Scalars['ID']['input']>;
};


export type SubscriptionWebhookEventsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  types?: InputMaybe<ReadonlyArray<WebhookType>>;
};

/** Selects a webhook to test. */
export type TestWebhookInput = {
  /** Id of the webhook, which must be active. */
  readonly id: Scalars['ID']['input'];
};

/** The delivery of a test. */
export type TestWebhookPayload = {
  /** The delivery, which is sent in a moment. */
  readonly delivery: WebhookDelivery;
};

export type Token = {
  readonly address: Scalars['Address']['output'];
};

export type Transaction = {
  readonly hash: Scalars['Bytes32']['output'];
};

/** Changes of a webhook. What is omitted or null stays as it is. */
export type UpdateWebhookInput = {
  /** Whether notifications are sent. Events of the time in which it was false are not sent later. */
  readonly active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Addresses to add. Those that the webhook has are ignored. */
  readonly addAddresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Number of blocks, the one of the event included, after which a notification is sent: 1 to 64. */
  readonly confirmations?: InputMaybe<Scalars['Int']['input']>;
  /** When gas prices are notified; replaces the present values. Only for GAS_PRICE. */
  readonly gasPrice?: InputMaybe<GasPriceTriggerInput>;
  /** Id of the webhook. */
  readonly id: Scalars['ID']['input'];
  /** Addresses to remove. Those that the webhook does not have are ignored; at least one must remain. */
  readonly removeAddresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** URL of the receiver, for deliveries that are attempted from now on. */
  readonly url?: InputMaybe<Scalars['String']['input']>;
};

/** A changed webhook. */
export type UpdateWebhookPayload = {
  /** The webhook after the changes. */
  readonly webhook: Webhook;
};

/** A registration: which notifications an application receives, and where. */
export type Webhook = {
  /** Whether notifications are sent. False once the receiver has responded with 410. */
  readonly active: Scalars['Boolean']['output'];
  /**
   * Addresses whose transactions or transfers are notified, in ascending order. Null for GAS_PRICE. Fails with RESULT_TOO_LARGE if the webhooks of one page have
   * more than 100,000 addresses.
   */
  readonly addresses: Maybe<ReadonlyArray<Scalars['Address']['output']>>;
  /** Name of the application that owns the webhook. */
  readonly app: Scalars['String']['output'];
  /** Number of blocks, the one of the event included, after which a notification is sent, so that a reorg does not undo it. Has no effect on GAS_PRICE and DROPPED_TRANSACTION. */
  readonly confirmations: Scalars['Int']['output'];
  /** Time at which the webhook was created. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** Notifications to this webhook, the newest first. All webhooks of a page share one statement of the database. Null, with an error, if it fails. */
  readonly deliveries: Maybe<WebhookDeliveryConnection>;
  /** When gas prices are notified. Null for other types than GAS_PRICE. */
  readonly gasPrice: Maybe<GasPriceTrigger>;
  /** Identifies the webhook. Also its cursor. */
  readonly id: Scalars['ID']['output'];
  /** Type of the notifications. */
  readonly type: WebhookType;
  /** URL to which the notifications are sent. */
  readonly url: Scalars['String']['output'];
};


/** A registration: which notifications an application receives, and where. */
export type WebhookDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  status?: InputMaybe<DeliveryStatus>;
};

/** A page of webhooks. */
export type WebhookConnection = {
  /** The webhooks of the page with their cursors. */
  readonly edges: ReadonlyArray<WebhookEdge>;
  /** The webhooks of the page. */
  readonly nodes: ReadonlyArray<Maybe<Webhook>>;
  /** Position of the page in the list. */
  readonly pageInfo: PageInfo;
};

/** One notification to one webhook. */
export type WebhookDelivery = {
  /** The attempts, the oldest first: at most the last 100. All deliveries of a page share one statement of the database. */
  readonly attemptLog: ReadonlyArray<DeliveryAttempt>;
  /** Number of attempts so far. */
  readonly attempts: Scalars['Int']['output'];
  /** Time at which the receiver accepted the notification. Null until then. */
  readonly deliveredAt: Maybe<Scalars['DateTime']['output']>;
  /**
   * The event that the delivery notifies of. Null for a test, if events of a notification service have all of its facts, and once the event is older
   * than WEBHOOK_RETENTION_DAYS.
   */
  readonly event: Maybe<WebhookEvent>;
  /** Header `webhook-id` of every attempt, by which a receiver recognises a repeat. Also the cursor of the delivery. */
  readonly id: Scalars['ID']['output'];
  /** HTTP status of the last response. Null while the receiver has not responded. */
  readonly lastStatusCode: Maybe<Scalars['Int']['output']>;
  /** Time of the next attempt. Null unless the status is PENDING or RETRYING. */
  readonly nextAttemptAt: Maybe<Scalars['DateTime']['output']>;
  /** State of the delivery. */
  readonly status: DeliveryStatus;
  /** The webhook that is notified. Null once it is deleted. */
  readonly webhook: Maybe<Webhook>;
};

/** A page of deliveries. */
export type WebhookDeliveryConnection = {
  /** The deliveries of the page with their cursors. */
  readonly edges: ReadonlyArray<WebhookDeliveryEdge>;
  /** The deliveries of the page. */
  readonly nodes: ReadonlyArray<Maybe<WebhookDelivery>>;
  /** Position of the page in the list. */
  readonly pageInfo: PageInfo;
};

/** A delivery in a page. */
export type WebhookDeliveryEdge = {
  /** Cursor of this delivery, for `after`: its id. */
  readonly cursor: Scalars['String']['output'];
  /** The delivery. */
  readonly node: Maybe<WebhookDelivery>;
};

/** A webhook in a page. */
export type WebhookEdge = {
  /** Cursor of this webhook, for `after`: its id. */
  readonly cursor: Scalars['String']['output'];
  /** The webhook. */
  readonly node: Maybe<Webhook>;
};

/** A verified notification that this server has stored. */
export type WebhookEvent = {
  /** Name of the application that the notification belongs to. */
  readonly app: Scalars['String']['output'];
  /**
   * From what the notification names (type, transaction, block, position, time), so a repeated one has the id of the first one; random where it names
   * neither a time nor a transaction. Also the cursor of the event.
   */
  readonly id: Scalars['ID']['output'];
  /** Name of the network, as the notification spells it. The event belongs to the further chain with this network, or else to the default chain. */
  readonly network: Scalars['String']['output'];
  /** Time at which this server stored it. */
  readonly receivedAt: Scalars['DateTime']['output'];
  /** Whether a reorg has removed the block of the event. The removal is a separate event. False where the event has no block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Time that the notification states. Null where it states none. */
  readonly timestamp: Maybe<Scalars['DateTime']['output']>;
  /** Type of the notification. */
  readonly type: WebhookType;
};

/** A page of stored notifications. */
export type WebhookEventConnection = {
  /** The events of the page with their cursors. */
  readonly edges: ReadonlyArray<WebhookEventEdge>;
  /** The events of the page. */
  readonly nodes: ReadonlyArray<Maybe<WebhookEvent>>;
  /** Position of the page in the list. */
  readonly pageInfo: PageInfo;
};

/** A stored notification in a page. */
export type WebhookEventEdge = {
  /** Cursor of this event, for `after`: its id. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly node: Maybe<WebhookEvent>;
};

/** Type of a notification. */
export type WebhookType =
  /** Transfers from or to a registered address. */
  | 'ADDRESS_ACTIVITY'
  /** The notification service has reached its monthly limit of compute units and does not send notifications. */
  | 'CAPACITY_EXCEEDED'
  /** A transaction left the pool without being included. */
  | 'DROPPED_TRANSACTION'
  /** The gas price crossed a threshold. */
  | 'GAS_PRICE'
  /** A transaction was included in a block. */
  | 'MINED_TRANSACTION';



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  Account: Account;
  Block: Block;
  Token: Token;
  Transaction: Transaction;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Account:
    ( { __typename: 'Account' }
    & GraphQLRecursivePick<FederationTypes['Account'], {"address":true,"_at":true}> );
  Block:
    ( { __typename: 'Block' }
    & GraphQLRecursivePick<FederationTypes['Block'], {"number":true}> );
  Token:
    ( { __typename: 'Token' }
    & GraphQLRecursivePick<FederationTypes['Token'], {"address":true}> );
  Transaction:
    ( { __typename: 'Transaction' }
    & GraphQLRecursivePick<FederationTypes['Transaction'], {"hash":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AbiValue: ResolverTypeWrapper<Scalars['AbiValue']['output']>;
  Account: ResolverTypeWrapper<Account>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  AddressActivity: ResolverTypeWrapper<NotifiedActivity>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  AddressActivityEvent: ResolverTypeWrapper<WebhookEventModel>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  Block: ResolverTypeWrapper<Block>;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  CapacityExceededEvent: ResolverTypeWrapper<WebhookEventModel>;
  ChainId: ResolverTypeWrapper<Scalars['ChainId']['output']>;
  CreateWebhookInput: CreateWebhookInput;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  CreateWebhookPayload: ResolverTypeWrapper<Omit<CreateWebhookPayload, 'webhook'> & { webhook: ResolversTypes['Webhook'] }>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  DeleteWebhookInput: DeleteWebhookInput;
  DeleteWebhookPayload: ResolverTypeWrapper<DeleteWebhookPayload>;
  DeliveryAttempt: ResolverTypeWrapper<DeliveryAttempt>;
  DeliveryStatus: DeliveryStatus;
  DroppedTransactionEvent: ResolverTypeWrapper<WebhookEventModel>;
  GasPriceEvent: ResolverTypeWrapper<WebhookEventModel>;
  GasPriceMetadata: ResolverTypeWrapper<GasPriceMetadata>;
  GasPriceSpeed: GasPriceSpeed;
  GasPriceTrigger: ResolverTypeWrapper<GasPriceTrigger>;
  GasPriceTriggerInput: GasPriceTriggerInput;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  MinedTransactionEvent: ResolverTypeWrapper<WebhookEventModel>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  NotifiedTransaction: ResolverTypeWrapper<NotifiedTransaction>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RawContract: ResolverTypeWrapper<RawContractModel>;
  RedeliverInput: RedeliverInput;
  RedeliverPayload: ResolverTypeWrapper<Omit<RedeliverPayload, 'delivery'> & { delivery: ResolversTypes['WebhookDelivery'] }>;
  RotateWebhookTokenInput: RotateWebhookTokenInput;
  RotateWebhookTokenPayload: ResolverTypeWrapper<Omit<RotateWebhookTokenPayload, 'webhook'> & { webhook: ResolversTypes['Webhook'] }>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  TestWebhookInput: TestWebhookInput;
  TestWebhookPayload: ResolverTypeWrapper<Omit<TestWebhookPayload, 'delivery'> & { delivery: ResolversTypes['WebhookDelivery'] }>;
  Token: ResolverTypeWrapper<Token>;
  Transaction: ResolverTypeWrapper<Transaction>;
  UpdateWebhookInput: UpdateWebhookInput;
  UpdateWebhookPayload: ResolverTypeWrapper<Omit<UpdateWebhookPayload, 'webhook'> & { webhook: ResolversTypes['Webhook'] }>;
  Webhook: ResolverTypeWrapper<WebhookRegistration>;
  WebhookConnection: ResolverTypeWrapper<Omit<WebhookConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['WebhookEdge']>, nodes: ReadonlyArray<Maybe<ResolversTypes['Webhook']>> }>;
  WebhookDelivery: ResolverTypeWrapper<WebhookDeliveryModel>;
  WebhookDeliveryConnection: ResolverTypeWrapper<Omit<WebhookDeliveryConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['WebhookDeliveryEdge']>, nodes: ReadonlyArray<Maybe<ResolversTypes['WebhookDelivery']>> }>;
  WebhookDeliveryEdge: ResolverTypeWrapper<Omit<WebhookDeliveryEdge, 'node'> & { node?: Maybe<ResolversTypes['WebhookDelivery']> }>;
  WebhookEdge: ResolverTypeWrapper<Omit<WebhookEdge, 'node'> & { node?: Maybe<ResolversTypes['Webhook']> }>;
  WebhookEvent: ResolverTypeWrapper<WebhookEventModel>;
  WebhookEventConnection: ResolverTypeWrapper<Omit<WebhookEventConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['WebhookEventEdge']>, nodes: ReadonlyArray<Maybe<ResolversTypes['WebhookEvent']>> }>;
  WebhookEventEdge: ResolverTypeWrapper<Omit<WebhookEventEdge, 'node'> & { node?: Maybe<ResolversTypes['WebhookEvent']> }>;
  WebhookType: WebhookType;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AbiValue: Scalars['AbiValue']['output'];
  Account: Account | FederationReferenceTypes['Account'];
  String: Scalars['String']['output'];
  Address: Scalars['Address']['output'];
  AddressActivity: NotifiedActivity;
  Boolean: Scalars['Boolean']['output'];
  Float: Scalars['Float']['output'];
  AddressActivityEvent: WebhookEventModel;
  ID: Scalars['ID']['output'];
  BigInt: Scalars['BigInt']['output'];
  Block: Block | FederationReferenceTypes['Block'];
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  CapacityExceededEvent: WebhookEventModel;
  ChainId: Scalars['ChainId']['output'];
  CreateWebhookInput: CreateWebhookInput;
  Int: Scalars['Int']['output'];
  CreateWebhookPayload: Omit<CreateWebhookPayload, 'webhook'> & { webhook: ResolversParentTypes['Webhook'] };
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  DeleteWebhookInput: DeleteWebhookInput;
  DeleteWebhookPayload: DeleteWebhookPayload;
  DeliveryAttempt: DeliveryAttempt;
  DroppedTransactionEvent: WebhookEventModel;
  GasPriceEvent: WebhookEventModel;
  GasPriceMetadata: GasPriceMetadata;
  GasPriceTrigger: GasPriceTrigger;
  GasPriceTriggerInput: GasPriceTriggerInput;
  Long: Scalars['Long']['output'];
  MinedTransactionEvent: WebhookEventModel;
  Mutation: Record<PropertyKey, never>;
  NotifiedTransaction: NotifiedTransaction;
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  RawContract: RawContractModel;
  RedeliverInput: RedeliverInput;
  RedeliverPayload: Omit<RedeliverPayload, 'delivery'> & { delivery: ResolversParentTypes['WebhookDelivery'] };
  RotateWebhookTokenInput: RotateWebhookTokenInput;
  RotateWebhookTokenPayload: Omit<RotateWebhookTokenPayload, 'webhook'> & { webhook: ResolversParentTypes['Webhook'] };
  Subscription: Record<PropertyKey, never>;
  TestWebhookInput: TestWebhookInput;
  TestWebhookPayload: Omit<TestWebhookPayload, 'delivery'> & { delivery: ResolversParentTypes['WebhookDelivery'] };
  Token: Token | FederationReferenceTypes['Token'];
  Transaction: Transaction | FederationReferenceTypes['Transaction'];
  UpdateWebhookInput: UpdateWebhookInput;
  UpdateWebhookPayload: Omit<UpdateWebhookPayload, 'webhook'> & { webhook: ResolversParentTypes['Webhook'] };
  Webhook: WebhookRegistration;
  WebhookConnection: Omit<WebhookConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['WebhookEdge']>, nodes: ReadonlyArray<Maybe<ResolversParentTypes['Webhook']>> };
  WebhookDelivery: WebhookDeliveryModel;
  WebhookDeliveryConnection: Omit<WebhookDeliveryConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['WebhookDeliveryEdge']>, nodes: ReadonlyArray<Maybe<ResolversParentTypes['WebhookDelivery']>> };
  WebhookDeliveryEdge: Omit<WebhookDeliveryEdge, 'node'> & { node?: Maybe<ResolversParentTypes['WebhookDelivery']> };
  WebhookEdge: Omit<WebhookEdge, 'node'> & { node?: Maybe<ResolversParentTypes['Webhook']> };
  WebhookEvent: WebhookEventModel;
  WebhookEventConnection: Omit<WebhookEventConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['WebhookEventEdge']>, nodes: ReadonlyArray<Maybe<ResolversParentTypes['WebhookEvent']>> };
  WebhookEventEdge: Omit<WebhookEventEdge, 'node'> & { node?: Maybe<ResolversParentTypes['WebhookEvent']> };
};

export interface AbiValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AbiValue'], any> {
  name: 'AbiValue';
}

export type AccountResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export type AddressActivityResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['AddressActivity'] = ResolversParentTypes['AddressActivity']> = {
  asset?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  category?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  from?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  rawContract?: Resolver<ResolversTypes['RawContract'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  tokenId?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  transactionHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type AddressActivityEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['AddressActivityEvent'] = ResolversParentTypes['AddressActivityEvent']> = {
  activity?: Resolver<ReadonlyArray<ResolversTypes['AddressActivity']>, ParentType, ContextType>;
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type BlockResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Block'] = ResolversParentTypes['Block'], FederationReferenceType extends FederationReferenceTypes['Block'] = FederationReferenceTypes['Block']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Block']> | FederationReferenceType, FederationReferenceType, ContextType>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface Bytes32ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes32'], any> {
  name: 'Bytes32';
}

export type CapacityExceededEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['CapacityExceededEvent'] = ResolversParentTypes['CapacityExceededEvent']> = {
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  error?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  webhookType?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface ChainIdScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ChainId'], any> {
  name: 'ChainId';
}

export type CreateWebhookPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['CreateWebhookPayload'] = ResolversParentTypes['CreateWebhookPayload']> = {
  authToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type DeleteWebhookPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['DeleteWebhookPayload'] = ResolversParentTypes['DeleteWebhookPayload']> = {
  deletedId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type DeliveryAttemptResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['DeliveryAttempt'] = ResolversParentTypes['DeliveryAttempt']> = {
  attemptedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  number?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  statusCode?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DroppedTransactionEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['DroppedTransactionEvent'] = ResolversParentTypes['DroppedTransactionEvent']> = {
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  fullTransaction?: Resolver<ResolversTypes['NotifiedTransaction'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type GasPriceEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['GasPriceEvent'] = ResolversParentTypes['GasPriceEvent']> = {
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  gasPrice?: Resolver<ResolversTypes['GasPriceMetadata'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type GasPriceMetadataResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['GasPriceMetadata'] = ResolversParentTypes['GasPriceMetadata']> = {
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  avgWait?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockTime?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fast?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fastWait?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fastest?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fastestWait?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  safeLow?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  safeLowWait?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  speed?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type GasPriceTriggerResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['GasPriceTrigger'] = ResolversParentTypes['GasPriceTrigger']> = {
  above?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  below?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  speed?: Resolver<ResolversTypes['GasPriceSpeed'], ParentType, ContextType>;
};

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export type MinedTransactionEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['MinedTransactionEvent'] = ResolversParentTypes['MinedTransactionEvent']> = {
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  fullTransaction?: Resolver<ResolversTypes['NotifiedTransaction'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MutationResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createWebhook?: Resolver<Maybe<ResolversTypes['CreateWebhookPayload']>, ParentType, ContextType, RequireFields<MutationCreateWebhookArgs, 'input'>>;
  deleteWebhook?: Resolver<Maybe<ResolversTypes['DeleteWebhookPayload']>, ParentType, ContextType, RequireFields<MutationDeleteWebhookArgs, 'input'>>;
  redeliver?: Resolver<Maybe<ResolversTypes['RedeliverPayload']>, ParentType, ContextType, RequireFields<MutationRedeliverArgs, 'input'>>;
  rotateWebhookToken?: Resolver<Maybe<ResolversTypes['RotateWebhookTokenPayload']>, ParentType, ContextType, RequireFields<MutationRotateWebhookTokenArgs, 'input'>>;
  testWebhook?: Resolver<Maybe<ResolversTypes['TestWebhookPayload']>, ParentType, ContextType, RequireFields<MutationTestWebhookArgs, 'input'>>;
  updateWebhook?: Resolver<Maybe<ResolversTypes['UpdateWebhookPayload']>, ParentType, ContextType, RequireFields<MutationUpdateWebhookArgs, 'input'>>;
};

export type NotifiedTransactionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['NotifiedTransaction'] = ResolversParentTypes['NotifiedTransaction']> = {
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  inputData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  r?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  s?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  transactionIndex?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  v?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  webhook?: Resolver<Maybe<ResolversTypes['Webhook']>, ParentType, ContextType, RequireFields<QueryWebhookArgs, 'id'>>;
  webhookEvents?: Resolver<Maybe<ResolversTypes['WebhookEventConnection']>, ParentType, ContextType, RequireFields<QueryWebhookEventsArgs, 'first'>>;
  webhooks?: Resolver<Maybe<ResolversTypes['WebhookConnection']>, ParentType, ContextType, RequireFields<QueryWebhooksArgs, 'first'>>;
};

export type RawContractResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['RawContract'] = ResolversParentTypes['RawContract']> = {
  address?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  decimals?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  rawValue?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  token?: Resolver<Maybe<ResolversTypes['Token']>, ParentType, ContextType>;
};

export type RedeliverPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['RedeliverPayload'] = ResolversParentTypes['RedeliverPayload']> = {
  delivery?: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType>;
};

export type RotateWebhookTokenPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['RotateWebhookTokenPayload'] = ResolversParentTypes['RotateWebhookTokenPayload']> = {
  authToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  addressActivity?: SubscriptionResolver<ResolversTypes['AddressActivity'], "addressActivity", ParentType, ContextType, Partial<SubscriptionAddressActivityArgs>>;
  webhookDeliveries?: SubscriptionResolver<ResolversTypes['WebhookDelivery'], "webhookDeliveries", ParentType, ContextType, Partial<SubscriptionWebhookDeliveriesArgs>>;
  webhookEvents?: SubscriptionResolver<ResolversTypes['WebhookEvent'], "webhookEvents", ParentType, ContextType, Partial<SubscriptionWebhookEventsArgs>>;
};

export type TestWebhookPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['TestWebhookPayload'] = ResolversParentTypes['TestWebhookPayload']> = {
  delivery?: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType>;
};

export type TokenResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Token'] = ResolversParentTypes['Token'], FederationReferenceType extends FederationReferenceTypes['Token'] = FederationReferenceTypes['Token']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Token']> | FederationReferenceType, FederationReferenceType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
};

export type TransactionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Transaction'] = ResolversParentTypes['Transaction'], FederationReferenceType extends FederationReferenceTypes['Transaction'] = FederationReferenceTypes['Transaction']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Transaction']> | FederationReferenceType, FederationReferenceType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type UpdateWebhookPayloadResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['UpdateWebhookPayload'] = ResolversParentTypes['UpdateWebhookPayload']> = {
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export type WebhookResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['Webhook'] = ResolversParentTypes['Webhook']> = {
  active?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  addresses?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Address']>>, ParentType, ContextType>;
  app?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  confirmations?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  deliveries?: Resolver<Maybe<ResolversTypes['WebhookDeliveryConnection']>, ParentType, ContextType, RequireFields<WebhookDeliveriesArgs, 'first'>>;
  gasPrice?: Resolver<Maybe<ResolversTypes['GasPriceTrigger']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['WebhookType'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WebhookConnectionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookConnection'] = ResolversParentTypes['WebhookConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WebhookEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Webhook']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type WebhookDeliveryResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookDelivery'] = ResolversParentTypes['WebhookDelivery']> = {
  attemptLog?: Resolver<ReadonlyArray<ResolversTypes['DeliveryAttempt']>, ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deliveredAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  event?: Resolver<Maybe<ResolversTypes['WebhookEvent']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastStatusCode?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DeliveryStatus'], ParentType, ContextType>;
  webhook?: Resolver<Maybe<ResolversTypes['Webhook']>, ParentType, ContextType>;
};

export type WebhookDeliveryConnectionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookDeliveryConnection'] = ResolversParentTypes['WebhookDeliveryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WebhookDeliveryEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['WebhookDelivery']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type WebhookDeliveryEdgeResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookDeliveryEdge'] = ResolversParentTypes['WebhookDeliveryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['WebhookDelivery']>, ParentType, ContextType>;
};

export type WebhookEdgeResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookEdge'] = ResolversParentTypes['WebhookEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Webhook']>, ParentType, ContextType>;
};

export type WebhookEventResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookEvent'] = ResolversParentTypes['WebhookEvent']> = {
  __resolveType: TypeResolveFn<'AddressActivityEvent' | 'CapacityExceededEvent' | 'DroppedTransactionEvent' | 'GasPriceEvent' | 'MinedTransactionEvent', ParentType, ContextType>;
};

export type WebhookEventConnectionResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookEventConnection'] = ResolversParentTypes['WebhookEventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WebhookEventEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['WebhookEvent']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type WebhookEventEdgeResolvers<ContextType = WebhooksContext, ParentType extends ResolversParentTypes['WebhookEventEdge'] = ResolversParentTypes['WebhookEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['WebhookEvent']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = WebhooksContext> = {
  AbiValue?: GraphQLScalarType;
  Account?: AccountResolvers<ContextType>;
  Address?: GraphQLScalarType;
  AddressActivity?: AddressActivityResolvers<ContextType>;
  AddressActivityEvent?: AddressActivityEventResolvers<ContextType>;
  BigInt?: GraphQLScalarType;
  Block?: BlockResolvers<ContextType>;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  CapacityExceededEvent?: CapacityExceededEventResolvers<ContextType>;
  ChainId?: GraphQLScalarType;
  CreateWebhookPayload?: CreateWebhookPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  DeleteWebhookPayload?: DeleteWebhookPayloadResolvers<ContextType>;
  DeliveryAttempt?: DeliveryAttemptResolvers<ContextType>;
  DroppedTransactionEvent?: DroppedTransactionEventResolvers<ContextType>;
  GasPriceEvent?: GasPriceEventResolvers<ContextType>;
  GasPriceMetadata?: GasPriceMetadataResolvers<ContextType>;
  GasPriceTrigger?: GasPriceTriggerResolvers<ContextType>;
  Long?: GraphQLScalarType;
  MinedTransactionEvent?: MinedTransactionEventResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  NotifiedTransaction?: NotifiedTransactionResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RawContract?: RawContractResolvers<ContextType>;
  RedeliverPayload?: RedeliverPayloadResolvers<ContextType>;
  RotateWebhookTokenPayload?: RotateWebhookTokenPayloadResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  TestWebhookPayload?: TestWebhookPayloadResolvers<ContextType>;
  Token?: TokenResolvers<ContextType>;
  Transaction?: TransactionResolvers<ContextType>;
  UpdateWebhookPayload?: UpdateWebhookPayloadResolvers<ContextType>;
  Webhook?: WebhookResolvers<ContextType>;
  WebhookConnection?: WebhookConnectionResolvers<ContextType>;
  WebhookDelivery?: WebhookDeliveryResolvers<ContextType>;
  WebhookDeliveryConnection?: WebhookDeliveryConnectionResolvers<ContextType>;
  WebhookDeliveryEdge?: WebhookDeliveryEdgeResolvers<ContextType>;
  WebhookEdge?: WebhookEdgeResolvers<ContextType>;
  WebhookEvent?: WebhookEventResolvers<ContextType>;
  WebhookEventConnection?: WebhookEventConnectionResolvers<ContextType>;
  WebhookEventEdge?: WebhookEventEdgeResolvers<ContextType>;
};

