import { GraphError } from '../lib/errors.ts';
import { type Data, isQuantity, type Quantity, toData, toQuantity } from './hex.ts';

/**
 * Checks a value of a node's result and returns it typed; throws UPSTREAM_BAD_RESPONSE. The decoders do not check the
 * properties of an object: an invalid property becomes an error of the field that returns it.
 */
type Decoder<T> = (value: unknown) => T;

/** The error for a value of another shape than `expected`. It does not contain the value, which can contain a key. */
export const invalidShape = (expected: string) =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `Invalid result of the node: expected ${expected}.`);

/** A QUANTITY of at most 256 bits. Normalizes leading zeros, upper case and JSON integers. */
export const quantity: Decoder<Quantity> = (value) => {
  if (isQuantity(value, 256)) return value;
  const normalized = toQuantity(value, 256);
  if (normalized === undefined) throw invalidShape('a number');
  return normalized;
};

/** A QUANTITY in hex. A decimal text, or a JSON number, which JSON parsers round above 2^53, could be read as another amount. */
export const hexQuantity: Decoder<Quantity> = (value) => {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw invalidShape('a number in hex');
  return quantity(value);
};

/** DATA of any length, in lower case. */
export const data: Decoder<Data> = (value) => {
  const bytes = toData(value);
  if (bytes === undefined) throw invalidShape('bytes');
  return bytes;
};

/** 32 bytes. Pads a shorter value, because some nodes omit leading zeros. */
export const word: Decoder<Data> = (value) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) throw invalidShape('a 32-byte value');
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`;
};

export const boolean: Decoder<boolean> = (value) => {
  if (typeof value !== 'boolean') throw invalidShape('true or false');
  return value;
};

/**
 * A version or an id of at most 24 characters; converts a number to text. Rejects any other text, because it can contain the key of the
 * endpoint.
 */
export const versionString: Decoder<string> = (value) => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[\w.+/-]{1,24}$/.test(text)) throw invalidShape('a version or an id');
  return text;
};

/** An object whose properties are not checked. */
export type RawObject = Readonly<Record<string, unknown>>;

/** Returns an object; throws UPSTREAM_BAD_RESPONSE for any other value, and for a list. Its properties are not checked. */
export function asObject<T extends object = RawObject>(value: unknown, expected = 'an object'): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidShape(expected);
  return value as T;
}

/** A list whose items are all decoded. */
export const list =
  <T>(item: Decoder<T>): Decoder<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) throw invalidShape('a list');
    return value.map(item);
  };

/** Null for null and undefined. */
export const nullable =
  <T>(decode: Decoder<T>): Decoder<T | null> =>
  (value) =>
    value === null || value === undefined ? null : decode(value);

/** Returns a list property of an object; null for null and undefined. Its items are not checked. */
export const listOrNull = <T>(value: unknown): readonly T[] | null => {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) throw invalidShape('a list');
  return value;
};
