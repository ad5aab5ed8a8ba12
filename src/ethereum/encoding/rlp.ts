import { type Data, toData, toQuantity } from '../hex.ts';

/**
 * An RLP encoding in hex digits, without 0x. Encodings are built as text, because all parts come from JSON as hex and the result is hex again:
 * building them from bytes takes more than ten times as long (docs/decisions/0030).
 */
export type RlpDigits = string;

/** Converts a property of a node's object to its encoding; undefined for a missing or malformed value. */
export type FieldEncoder = (value: unknown) => RlpDigits | undefined;

/** Fields in RLP order: their names in the node's object, each with its encoder. */
export type FieldTable = readonly (readonly [name: string, encode: FieldEncoder])[];

/** Fields of DATA, in RLP order. */
export const dataFields = (...names: readonly string[]): FieldTable => names.map((name) => [name, asData]);

/** Fields of QUANTITY, in RLP order. */
export const quantityFields = (...names: readonly string[]): FieldTable => names.map((name) => [name, asQuantity]);

const evenHex = (value: number): string => {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
};

/** The prefix of a payload of this many hex digits. */
function prefixOf(offset: number, digits: number): string {
  const length = digits / 2;
  if (length < 56) return evenHex(offset + length);
  const lengthDigits = evenHex(length);
  return evenHex(offset + 55 + lengthDigits.length / 2) + lengthDigits;
}

/** Encodes bytes, given as hex digits. */
export const rlpBytes = (digits: string): RlpDigits =>
  digits.length === 2 && digits < '80' ? digits : prefixOf(0x80, digits.length) + digits;

/** Encodes a list of encoded items. */
export function rlpList(items: readonly RlpDigits[]): RlpDigits {
  const payload = items.join('');
  return prefixOf(0xc0, payload.length) + payload;
}

/** Encodes an integer as big-endian bytes without leading zeros; zero is empty. */
export function rlpInteger(value: number): RlpDigits {
  return rlpBytes(value === 0 ? '' : evenHex(value));
}

/** DATA: the bytes as they are. */
export const asData: FieldEncoder = (value) => {
  const data: Data | undefined = toData(value);
  return data === undefined ? undefined : rlpBytes(data.slice(2));
};

/** QUANTITY: an integer. */
export const asQuantity: FieldEncoder = (value) => {
  const quantity = toQuantity(value, 256);
  if (quantity === undefined) return undefined;
  if (quantity === '0x0') return rlpBytes('');
  return rlpBytes(quantity.length % 2 === 0 ? quantity.slice(2) : `0${quantity.slice(2)}`);
};

/** DATA that may be absent, such as the recipient of a contract creation; empty if absent. */
export const asOptionalData: FieldEncoder = (value) => (value === null || value === undefined ? rlpBytes('') : asData(value));

/** A list of values of one kind. */
export const asList =
  (encodeItem: FieldEncoder): FieldEncoder =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => encodeItem(item));
    return items.includes(undefined) ? undefined : rlpList(items as RlpDigits[]);
  };

/** An object, as the list of the given fields. */
export const asFields =
  (fields: FieldTable): FieldEncoder =>
  (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const items = fields.map(([name, encode]) => encode((value as Readonly<Record<string, unknown>>)[name]));
    return items.includes(undefined) ? undefined : rlpList(items as RlpDigits[]);
  };
