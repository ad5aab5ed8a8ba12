import type {
  AddressActivity,
  EventContent,
  GasPriceMetadata,
  Notification,
  NotifiedTransaction,
  RawContract,
} from '../model.ts';
import {
  address,
  bytes,
  type Fields,
  InvalidNotificationError,
  list,
  name,
  number,
  objectAt,
  optional,
  quantity,
  required,
  smallInteger,
  text,
  time,
} from './field-decoders.ts';

/** Transfers of one notification. A body of 1 MiB has fewer. */
const MAX_ACTIVITIES = 10_000;
const longQuantity = quantity(64);
const wideQuantity = quantity(256);

/** The content of a body. `app` is null where the body names no application. */
export type DecodedBody = Omit<Notification, 'app'> & { readonly app: string | null };

/**
 * Decodes the body of a notification: the four types and the capacity error. Unknown fields are ignored. Throws an InvalidNotificationError that
 * names the first invalid field.
 */
export function decodeNotification(body: unknown): DecodedBody {
  const fields = objectAt(body, 'body');
  return {
    app: optional(fields, 'app', name),
    network: required(fields, 'network', name),
    timestamp: optional(fields, 'timestamp', time),
    content: decodeContent(fields),
  };
}

/** The type of a gas price has no documented name, and that of a capacity error is the one that could not be sent, so both are recognised by their fields. */
function decodeContent(fields: Fields): EventContent {
  if (Object.hasOwn(fields, 'gasPriceMetadata'))
    return { type: 'GAS_PRICE', gasPrice: decodeGasPrice(required(fields, 'gasPriceMetadata', objectAt)) };
  if (Object.hasOwn(fields, 'error'))
    return {
      type: 'CAPACITY_EXCEEDED',
      error: required(fields, 'error', text),
      webhookType: optional(fields, 'webhookType', text),
    };
  switch (required(fields, 'webhookType', text)) {
    case 'MINED_TRANSACTION':
      return { type: 'MINED_TRANSACTION', fullTransaction: decodeTransaction(required(fields, 'fullTransaction', objectAt)) };
    case 'DROPPED_TRANSACTION':
      return decodeDropped(fields);
    case 'ADDRESS_ACTIVITY':
      return { type: 'ADDRESS_ACTIVITY', activity: required(fields, 'activity', list(decodeActivity, MAX_ACTIVITIES)) };
    default:
      throw new InvalidNotificationError(
        '`webhookType` is not MINED_TRANSACTION, DROPPED_TRANSACTION or ADDRESS_ACTIVITY, and there is neither `gasPriceMetadata` nor `error`',
      );
  }
}

function decodeDropped(fields: Fields): EventContent {
  const fullTransaction = decodeTransaction(required(fields, 'fullTransaction', objectAt));
  const hash = optional(fields, 'hash', bytes(32)) ?? fullTransaction.hash;
  if (hash !== fullTransaction.hash) throw new InvalidNotificationError('`hash` is not the hash of `fullTransaction`');
  return { type: 'DROPPED_TRANSACTION', hash, fullTransaction };
}

const decodeTransaction = (fields: Fields): NotifiedTransaction => ({
  hash: required(fields, 'hash', bytes(32)),
  nonce: required(fields, 'nonce', longQuantity),
  blockHash: optional(fields, 'blockHash', bytes(32)),
  blockNumber: optional(fields, 'blockNumber', longQuantity),
  transactionIndex: optional(fields, 'transactionIndex', longQuantity),
  from: required(fields, 'from', address),
  to: optional(fields, 'to', address),
  value: required(fields, 'value', wideQuantity),
  gasPrice: optional(fields, 'gasPrice', wideQuantity),
  gas: required(fields, 'gas', longQuantity),
  inputData: required(fields, 'input', bytes()),
  v: optional(fields, 'v', wideQuantity),
  r: optional(fields, 'r', wideQuantity),
  s: optional(fields, 's', wideQuantity),
});

const NO_CONTRACT: RawContract = { rawValue: null, address: null, decimals: null };

const decodeContract = (fields: Fields): RawContract => ({
  rawValue: optional(fields, 'rawValue', wideQuantity),
  address: optional(fields, 'address', address),
  decimals: optional(fields, 'decimals', smallInteger),
});

function decodeActivity(value: unknown, path: string): AddressActivity {
  const fields = objectAt(value, path);
  const contract = optional(fields, 'rawContract', objectAt);
  return {
    from: optional(fields, 'fromAddress', address),
    to: optional(fields, 'toAddress', address),
    blockNumber: required(fields, 'blockNum', longQuantity),
    transactionHash: optional(fields, 'hash', bytes(32)),
    category: required(fields, 'category', text),
    value: optional(fields, 'value', number),
    asset: optional(fields, 'asset', text),
    tokenId: optional(fields, 'erc721TokenId', wideQuantity),
    rawContract: contract ? decodeContract(contract) : NO_CONTRACT,
  };
}

const decodeGasPrice = (fields: Fields): GasPriceMetadata => ({
  fast: required(fields, 'fast', number),
  fastest: required(fields, 'fastest', number),
  safeLow: required(fields, 'safeLow', number),
  average: required(fields, 'average', number),
  blockTime: optional(fields, 'block_time', number),
  blockNumber: optional(fields, 'blockNum', longQuantity),
  speed: optional(fields, 'speed', number),
  safeLowWait: optional(fields, 'safeLowWait', number),
  avgWait: optional(fields, 'avgWait', number),
  fastWait: optional(fields, 'fastWait', number),
  fastestWait: optional(fields, 'fastestWait', number),
});
