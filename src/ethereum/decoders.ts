import { GraphError } from '../errors.ts';
import { type Data, isQuantity, type Quantity, toData, toQuantity } from './hex.ts';

/**
 * Readers of a node's results: each takes what came and gives it typed, or throws UPSTREAM_BAD_RESPONSE.
 * Objects are looked at from outside only: what is wrong inside one becomes an error on that field's path.
 */
type Decoder<T> = (value: unknown) => T;

/** The error for what is not of the shape that it should have. */
export const invalidShape = (expected: string) =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `What the node sent is not ${expected}.`);

export const quantity: Decoder<Quantity> = (value) => {
  if (isQuantity(value, 256)) return value;
  const mended = toQuantity(value, 256);
  if (mended === undefined) throw invalidShape('a number');
  return mended;
};

export const data: Decoder<Data> = (value) => {
  const bytes = toData(value);
  if (bytes === undefined) throw invalidShape('bytes');
  return bytes;
};

/** 32 bytes; a shorter value is one whose leading zeros the node left out. */
export const word: Decoder<Data> = (value) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) throw invalidShape('a 32-byte value');
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`;
};

export const boolean: Decoder<boolean> = (value) => {
  if (typeof value !== 'boolean') throw invalidShape('true or false');
  return value;
};

/**
 * A version or an id, as short as those are; a number is spelled out. Longer or freer text is refused: a node's texts can hold
 * anything, the key of its endpoint included.
 */
export const versionString: Decoder<string> = (value) => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[\w.+/-]{1,24}$/.test(text)) throw invalidShape('a version or an id');
  return text;
};

/** An object of the wire, not looked into. */
export const object =
  <T extends object>(): Decoder<T> =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidShape('an object');
    return value as T;
  };

export const list =
  <T>(item: Decoder<T>): Decoder<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) throw invalidShape('a list');
    return value.map(item);
  };

/** Null where the node has nothing. */
export const nullable =
  <T>(reader: Decoder<T>): Decoder<T | null> =>
  (value) =>
    value === null || value === undefined ? null : reader(value);

/** A list inside an object of the node's: null where there is none. */
export const listOrNull = <T>(value: unknown): readonly T[] | null => {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) throw invalidShape('a list');
  return value;
};
