import type {
  AddressActivityEventResolvers,
  CapacityExceededEventResolvers,
  DroppedTransactionEventResolvers,
  GasPriceEventResolvers,
  MinedTransactionEventResolvers,
  WebhookEventResolvers,
} from '../../../generated/webhooks.ts';
import type { StoredWebhookEvent, WebhookType } from '../model.ts';

const OBJECT_TYPES = {
  MINED_TRANSACTION: 'MinedTransactionEvent',
  DROPPED_TRANSACTION: 'DroppedTransactionEvent',
  ADDRESS_ACTIVITY: 'AddressActivityEvent',
  GAS_PRICE: 'GasPriceEvent',
  CAPACITY_EXCEEDED: 'CapacityExceededEvent',
} as const satisfies Record<WebhookType, string>;

const typeOf = ({ content }: StoredWebhookEvent): WebhookType => content.type;

export const webhookEventResolvers: WebhookEventResolvers = {
  __resolveType: ({ content }) => OBJECT_TYPES[content.type],
};

export const minedTransactionEventResolvers: MinedTransactionEventResolvers = {
  type: typeOf,
  hash: ({ content }) => content.fullTransaction.hash,
  fullTransaction: ({ content }) => content.fullTransaction,
  transaction: ({ content }, _args, { webhooks }) => webhooks.transaction(content.fullTransaction.hash),
};

export const droppedTransactionEventResolvers: DroppedTransactionEventResolvers = {
  type: typeOf,
  hash: ({ content }) => content.hash,
  fullTransaction: ({ content }) => content.fullTransaction,
  transaction: ({ content }, _args, { webhooks }) => webhooks.transaction(content.hash),
};

export const addressActivityEventResolvers: AddressActivityEventResolvers = {
  type: typeOf,
  activity: ({ content, removed }) => content.activity.map((activity) => ({ ...activity, removed })),
};

export const gasPriceEventResolvers: GasPriceEventResolvers = {
  type: typeOf,
  gasPrice: ({ content }) => content.gasPrice,
};

export const capacityExceededEventResolvers: CapacityExceededEventResolvers = {
  type: typeOf,
  error: ({ content }) => content.error,
  webhookType: ({ content }) => content.webhookType,
};
