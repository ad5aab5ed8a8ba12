import { type Data, type Quantity, toData, toQuantity } from '../../../ethereum/hex.ts';
import { isStorable } from '../store/statements.ts';

/** A body that is no notification. The message states the field and what is accepted, and quotes no value. */
export class InvalidNotificationError extends Error {
  override readonly name = 'InvalidNotificationError';
}

/** An object of a body. Only its own properties are read, so a key such as `__proto__` has no effect. */
export type Fields = Readonly<Record<string, unknown>>;

type Decoder<T> = (value: unknown, path: string) => T;

const invalid = (path: string, expected: string): never => {
  throw new InvalidNotificationError(`\`${path}\` is not ${expected}`);
};

const fieldOf = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

/** Decodes an object. */
export const objectAt: Decoder<Fields> = (value, path) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : invalid(path, 'an object');

/** Decodes a required field. */
export const required = <T>(fields: Fields, name: string, decode: Decoder<T>): T => decode(fieldOf(fields, name), name);

/** Decodes a field that may be null or absent. */
export const optional = <T>(fields: Fields, name: string, decode: Decoder<T>): T | null => {
  const value = fieldOf(fields, name);
  return value === null || value === undefined ? null : decode(value, name);
};

const MAX_TEXT_CHARS = 10_000;

export const text: Decoder<string> = (value, path) =>
  typeof value === 'string' && value.length <= MAX_TEXT_CHARS && isStorable(value)
    ? value
    : invalid(path, `a text of at most ${MAX_TEXT_CHARS} characters`);

export const name: Decoder<string> = (value, path) =>
  typeof value === 'string' && value.length > 0 && value.length <= 128
    ? text(value, path)
    : invalid(path, 'a text of 1 to 128 characters');

export const number: Decoder<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : invalid(path, 'a number');

export const smallInteger: Decoder<number> = (value, path) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
    ? (value as number)
    : invalid(path, 'an integer from 0 to 255');

/** An unsigned integer: 0x-hex, or a JSON integer. */
export const quantity =
  (bits: number): Decoder<Quantity> =>
  (value, path) => {
    const isSpelled = typeof value === 'number' || (typeof value === 'string' && value.startsWith('0x'));
    return (isSpelled ? toQuantity(value, bits) : undefined) ?? invalid(path, `an integer of at most ${bits} bits as 0x-hex`);
  };

export const bytes =
  (length?: number): Decoder<Data> =>
  (value, path) =>
    toData(value, length) ?? invalid(path, length === undefined ? 'bytes as 0x-hex' : `${length} bytes as 0x-hex`);

const PADDED_ADDRESS = /^0x0{24}[0-9a-fA-F]{40}$/;

/** A 20-byte address, or one that is padded to 32 bytes on the left. */
export const address: Decoder<Data> = (value, path) => {
  const unpadded = typeof value === 'string' && PADDED_ADDRESS.test(value) ? `0x${value.slice(26)}` : value;
  return toData(unpadded, 20) ?? invalid(path, 'an address of 20 bytes, or of 32 bytes padded on the left');
};

/** A year that both ISO 8601 without a sign and PostgreSQL have. */
const YEAR = /^(?!0000)\d{4}-/;

/** An ISO 8601 time. A time without a zone is UTC. */
export const time: Decoder<string> = (value, path) => {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) && value.length <= 40;
  const date = new Date(isTime ? (/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`) : Number.NaN);
  const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return YEAR.test(iso) ? iso : invalid(path, 'an ISO 8601 time from year 1 to 9999');
};

/** A list of at most `max` objects. */
export const list =
  <T>(decode: Decoder<T>, max: number): Decoder<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length <= max
      ? value.map((item, index) => decode(item, `${path}[${index}]`))
      : invalid(path, `a list of at most ${max} entries`);
