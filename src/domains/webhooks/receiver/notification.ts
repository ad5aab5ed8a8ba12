import { isStorable } from '../../../database/statements.ts';
import { type Data, type Quantity, toData, toQuantity } from '../../../ethereum/hex.ts';
import type { AddressActivity, EventContent, GasPriceMetadata, Notification, NotifiedTransaction } from '../model.ts';

/**
 * A body that is no notification. The message states the field and the accepted values, and quotes no value of the
 * body.
 */
export class InvalidNotificationError extends Error {}

/**
 * An object of a body, and the path in front of the names of its fields. Only its own properties are read, so a key
 * such as `__proto__` has no effect.
 */
type Fields = readonly [values: Readonly<Record<string, unknown>>, path: string];

type Decoder<T> = (value: unknown, path: string) => T;

const invalid = (path: string, expected: string): never => {
  throw new InvalidNotificationError(`\`${path}\` is not ${expected}`);
};

const fieldOf = ([values]: Fields, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

/** Decodes an object. The path of the body is empty. */
const objectAt: Decoder<Fields> = (value, path) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? [value as Fields[0], path && `${path}.`]
    : invalid(path || 'body', 'an object');

/** Decodes a required field. */
const required = <T>(fields: Fields, name: string, decode: Decoder<T>): T => decode(fieldOf(fields, name), fields[1] + name);

/** Decodes a field that may be null or absent. */
const optional = <T>(fields: Fields, name: string, decode: Decoder<T>): T | null => {
  const value = fieldOf(fields, name);
  return value === null || value === undefined ? null : decode(value, fields[1] + name);
};

const MAX_TEXT_CHARS = 10_000;

const text: Decoder<string> = (value, path) =>
  typeof value === 'string' && value.length <= MAX_TEXT_CHARS && isStorable(value)
    ? value
    : invalid(path, `a text of at most ${MAX_TEXT_CHARS} characters`);

const name: Decoder<string> = (value, path) =>
  typeof value === 'string' && value.length > 0 && value.length <= 128
    ? text(value, path)
    : invalid(path, 'a text of 1 to 128 characters');

const number: Decoder<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : invalid(path, 'a number');

const smallInteger: Decoder<number> = (value, path) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
    ? (value as number)
    : invalid(path, 'an integer from 0 to 255');

/** An unsigned integer: 0x-hex, or a JSON integer. */
const quantity =
  (bits: number): Decoder<Quantity> =>
  (value, path) => {
    const isSpelled = typeof value === 'number' || (typeof value === 'string' && value.startsWith('0x'));
    return (isSpelled ? toQuantity(value, bits) : undefined) ?? invalid(path, `an integer of at most ${bits} bits as 0x-hex`);
  };

const bytes =
  (length?: number): Decoder<Data> =>
  (value, path) =>
    toData(value, length) ?? invalid(path, length === undefined ? 'bytes as 0x-hex' : `${length} bytes as 0x-hex`);

const PADDED_ADDRESS = /^0x0{24}[0-9a-fA-F]{40}$/;

/** A 20-byte address, which may be padded to 32 bytes on the left. */
const address: Decoder<Data> = (value, path) => {
  const unpadded = typeof value === 'string' && PADDED_ADDRESS.test(value) ? `0x${value.slice(26)}` : value;
  return toData(unpadded, 20) ?? invalid(path, 'an address of 20 bytes, or of 32 bytes padded on the left');
};

/** A year that both ISO 8601 (without a sign) and PostgreSQL can represent. */
const YEAR = /^(?!0000)\d{4}-/;

/** An ISO 8601 time. A time without a zone is UTC. */
const time: Decoder<string> = (value, path) => {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) && value.length <= 40;
  const date = new Date(isTime ? (/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`) : Number.NaN);
  const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return YEAR.test(iso) ? iso : invalid(path, 'an ISO 8601 time from year 1 to 9999');
};

/** A list of at most `max` objects. */
const list =
  <T>(decode: Decoder<T>, max: number): Decoder<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length <= max
      ? value.map((item, index) => decode(item, `${path}[${index}]`))
      : invalid(path, `a list of at most ${max} entries`);

/** Maximum number of transfers in one notification. A body of 1 MiB contains fewer. */
const MAX_ACTIVITIES = 10_000;
const longQuantity = quantity(64);
const wideQuantity = quantity(256);

/**
 * Decodes the body of a notification: the four types and the capacity error. Unknown fields are ignored. Throws an InvalidNotificationError that
 * names the first invalid field. `app` is null if the body names no application.
 */
export function decodeNotification(body: unknown): Omit<Notification, 'app'> & { readonly app: string | null } {
  const fields = objectAt(body, '');
  return {
    app: optional(fields, 'app', name),
    network: required(fields, 'network', name),
    timestamp: optional(fields, 'timestamp', time),
    content: decodeContent(fields),
  };
}

/** The application that a body names; null if it names no application. */
export const appOf = (body: unknown): string | null => optional(objectAt(body, ''), 'app', name);

/**
 * The service documents no type name for a gas price, and the type of a capacity error is the type of the unsent
 * notification, so the decoder recognises both by their fields.
 */
function decodeContent(fields: Fields): EventContent {
  const gasPrice = optional(fields, 'gasPriceMetadata', objectAt);
  if (gasPrice) return { type: 'GAS_PRICE', gasPrice: decodeGasPrice(gasPrice) };
  const error = optional(fields, 'error', text);
  if (error !== null) return { type: 'CAPACITY_EXCEEDED', error, webhookType: optional(fields, 'webhookType', text) };
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

const NO_FIELDS: Fields = [{}, ''];

function decodeActivity(value: unknown, path: string): AddressActivity {
  const fields = objectAt(value, path);
  const contract = optional(fields, 'rawContract', objectAt) ?? NO_FIELDS;
  return {
    from: optional(fields, 'fromAddress', address),
    to: optional(fields, 'toAddress', address),
    blockNumber: required(fields, 'blockNum', longQuantity),
    transactionHash: optional(fields, 'hash', bytes(32)),
    category: required(fields, 'category', text),
    value: optional(fields, 'value', number),
    asset: optional(fields, 'asset', text),
    tokenId: optional(fields, 'erc721TokenId', wideQuantity),
    rawContract: {
      rawValue: optional(contract, 'rawValue', wideQuantity),
      address: optional(contract, 'address', address),
      decimals: optional(contract, 'decimals', smallInteger),
    },
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
