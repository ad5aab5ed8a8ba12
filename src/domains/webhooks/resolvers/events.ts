import type {
  AddressActivityEventResolvers,
  CapacityExceededEventResolvers,
  DroppedTransactionEventResolvers,
  GasPriceEventResolvers,
  MinedTransactionEventResolvers,
  NotifiedTransactionResolvers,
  WebhookEventResolvers,
} from '../../../generated/webhooks.ts';
import type { WebhooksContext } from '../context.ts';
import type {
  ContentOf,
  EventContent,
  NotifiedTransaction,
  NotifiedTransactionModel,
  WebhookEventModel,
  WebhookType,
} from '../model.ts';

const OBJECT_TYPES = {
  MINED_TRANSACTION: 'MinedTransactionEvent',
  DROPPED_TRANSACTION: 'DroppedTransactionEvent',
  ADDRESS_ACTIVITY: 'AddressActivityEvent',
  GAS_PRICE: 'GasPriceEvent',
  CAPACITY_EXCEEDED: 'CapacityExceededEvent',
} as const satisfies Record<WebhookType, string>;

const typeOf = (event: WebhookEventModel): WebhookType => ('content' in event ? event.content.type : event.type);

/** A resolver of a field of the content, which only a live event has already. */
const contentField =
  <Content extends EventContent, T>(read: (content: Content, event: WebhookEventModel, context: WebhooksContext) => T) =>
  (event: WebhookEventModel, _args: object, context: WebhooksContext): T | Promise<Awaited<T>> =>
    'content' in event
      ? read(event.content as Content, event, context)
      : (context.webhooks.contentOf(event).then((content) => read(content as Content, event, context)) as Promise<Awaited<T>>);

const transactionOf = (transaction: NotifiedTransaction, event: WebhookEventModel): NotifiedTransactionModel =>
  'content' in event ? transaction : { ...transaction, event };

type Mined = ContentOf<'MINED_TRANSACTION'>;
type Dropped = ContentOf<'DROPPED_TRANSACTION'>;
type CapacityExceeded = ContentOf<'CAPACITY_EXCEEDED'>;

export const webhookEventResolvers: WebhookEventResolvers = {
  __resolveType: (event) => OBJECT_TYPES[typeOf(event)],
};

export const minedTransactionEventResolvers: MinedTransactionEventResolvers = {
  type: typeOf,
  hash: contentField(({ fullTransaction }: Mined) => fullTransaction.hash),
  fullTransaction: contentField(({ fullTransaction }: Mined, event) => transactionOf(fullTransaction, event)),
  transaction: contentField(({ fullTransaction }: Mined, _event, { webhooks }) => webhooks.transaction(fullTransaction.hash)),
};

export const droppedTransactionEventResolvers: DroppedTransactionEventResolvers = {
  type: typeOf,
  hash: contentField(({ hash }: Dropped) => hash),
  fullTransaction: contentField(({ fullTransaction }: Dropped, event) => transactionOf(fullTransaction, event)),
  transaction: contentField(({ hash }: Dropped, _event, { webhooks }) => webhooks.transaction(hash)),
};

export const notifiedTransactionResolvers: NotifiedTransactionResolvers = {
  inputData: (transaction, _args, { webhooks }) => webhooks.inputDataOf(transaction),
};

export const addressActivityEventResolvers: AddressActivityEventResolvers = {
  type: typeOf,
  activity: contentField(({ activity }: ContentOf<'ADDRESS_ACTIVITY'>, { removed }) =>
    activity.map((transfer) => ({ ...transfer, removed })),
  ),
};

export const gasPriceEventResolvers: GasPriceEventResolvers = {
  type: typeOf,
  gasPrice: contentField(({ gasPrice }: ContentOf<'GAS_PRICE'>) => gasPrice),
};

export const capacityExceededEventResolvers: CapacityExceededEventResolvers = {
  type: typeOf,
  error: contentField(({ error }: CapacityExceeded) => error),
  webhookType: contentField(({ webhookType }: CapacityExceeded) => webhookType),
};
