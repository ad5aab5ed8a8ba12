import { isData, isQuantity, toData, toQuantity } from '../hex.ts';

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

/** The two hex digits of each byte. */
const BYTES = Array.from({ length: 256 }, (_, i) => evenHex(i));

/** The prefix of a payload of this many hex digits. */
function prefixOf(offset: number, digits: number): string {
  const length = digits / 2;
  if (length < 56) return BYTES[offset + length]!;
  if (length < 256) return BYTES[offset + 56]! + BYTES[length]!;
  const lengthDigits = evenHex(length);
  return evenHex(offset + 55 + lengthDigits.length / 2) + lengthDigits;
}

/** Encodes bytes, given as hex digits. */
export const rlpBytes = (digits: string): RlpDigits =>
  digits.length === 2 && digits < '80' ? digits : prefixOf(0x80, digits.length) + digits;

/** Encodes a list, given its encoded items one after another. */
export const rlpListOf = (payload: string): RlpDigits => prefixOf(0xc0, payload.length) + payload;

/** Encodes a list of encoded items. */
export const rlpList = (items: readonly RlpDigits[]): RlpDigits => rlpListOf(items.join(''));

/** Where the payload of the item at `start` begins, and where the item ends; undefined if it is cut off, or has a longer prefix than it needs. */
function boundsAt(digits: RlpDigits, start: number): { readonly payload: number; readonly end: number } | undefined {
  const prefix = Number.parseInt(digits.slice(start, start + 2), 16);
  if (prefix < 0x80) return { payload: start, end: start + 2 };
  const offset = prefix < 0xc0 ? 0x80 : 0xc0;
  const isLong = prefix >= offset + 56;
  const payload = start + (isLong ? 2 * (prefix - offset - 54) : 2);
  const length = isLong ? Number.parseInt(digits.slice(start + 2, payload), 16) : prefix - offset;
  const end = payload + 2 * length;
  if (!(end <= digits.length)) return undefined;
  const isMinimal = isLong ? digits.startsWith(prefixOf(offset, 2 * length), start) : prefix !== 0x81 || digits[payload]! >= '8';
  return isMinimal ? { payload, end } : undefined;
}

/** Splits an encoded list into its encoded items; undefined if the digits are not exactly one list in the encoding of `rlpListOf`. */
export function rlpItems(list: RlpDigits): readonly RlpDigits[] | undefined {
  const bounds = boundsAt(list, 0);
  if (bounds?.end !== list.length || list < 'c0') return undefined;
  const items: RlpDigits[] = [];
  for (let start = bounds.payload; start < list.length; ) {
    const item = boundsAt(list, start);
    if (!item) return undefined;
    items.push(list.slice(start, item.end));
    start = item.end;
  }
  return items;
}

/** Decodes the bytes of an item of `rlpItems`, as hex digits; undefined for a list. */
export const bytesOfItem = (item: RlpDigits): string | undefined =>
  item < 'c0' ? item.slice(boundsAt(item, 0)?.payload) : undefined;

/** Encodes an integer as big-endian bytes without leading zeros; zero is empty. */
export function rlpInteger(value: number): RlpDigits {
  return rlpBytes(value === 0 ? '' : evenHex(value));
}

/** DATA: the bytes as they are. */
export const asData: FieldEncoder = (value) => {
  const data = isData(value) ? value : toData(value);
  return data === undefined ? undefined : rlpBytes(data.slice(2));
};

/** QUANTITY: an integer. */
export const asQuantity: FieldEncoder = (value) => {
  const quantity = isQuantity(value, 256) ? value : toQuantity(value, 256);
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
    let payload = '';
    for (const item of value) {
      const encoded = encodeItem(item);
      if (encoded === undefined) return undefined;
      payload += encoded;
    }
    return rlpListOf(payload);
  };

/** An object, as the list of the given fields. */
export const asFields =
  (fields: FieldTable): FieldEncoder =>
  (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    let payload = '';
    for (const [name, encode] of fields) {
      const encoded = encode((value as Readonly<Record<string, unknown>>)[name]);
      if (encoded === undefined) return undefined;
      payload += encoded;
    }
    return rlpListOf(payload);
  };
