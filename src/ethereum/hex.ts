import { GraphError } from '../errors.ts';

/** An unsigned integer as JSON-RPC writes it: 0x-hex without leading zeros. */
export type Quantity = string;
/** Bytes as JSON-RPC writes them: 0x-hex with an even number of digits. */
export type Data = string;

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/;
const HEX_INTEGER = /^0x[0-9a-fA-F]+$/;
const DECIMAL_INTEGER = /^[0-9]+$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;
const DATA_ANY_CASE = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Whether a node's value is a quantity of at most so many bits. */
export const isQuantity = (value: unknown, bits: number): value is Quantity =>
  typeof value === 'string' && value.length <= 2 + bits / 4 && QUANTITY.test(value);

/** Whether a node's value is bytes: of that length when one is given, in lower case. */
export const isData = (value: unknown, bytes?: number): value is Data =>
  typeof value === 'string' && (bytes === undefined || value.length === 2 + 2 * bytes) && DATA.test(value);

/** Bytes in lower case, or undefined when the text is not hex bytes of that length. */
export function toData(text: unknown, bytes?: number): Data | undefined {
  if (typeof text !== 'string' || (bytes !== undefined && text.length !== 2 + 2 * bytes)) return undefined;
  return DATA_ANY_CASE.test(text) ? text.toLowerCase() : undefined;
}

/**
 * A quantity from a JSON integer, a decimal string or a hex string; undefined when it is none of these or has more bits.
 * The length is judged before anything becomes a bigint: converting a million digits would stop the process for seconds.
 */
export function toQuantity(input: unknown, bits: number): Quantity | undefined {
  if (typeof input === 'number') return Number.isSafeInteger(input) && input >= 0 ? `0x${input.toString(16)}` : undefined;
  if (typeof input !== 'string') return undefined;
  if (HEX_INTEGER.test(input)) {
    const digits = input.slice(2).replace(/^0+(?=.)/, '');
    return digits.length <= bits / 4 ? `0x${digits.toLowerCase()}` : undefined;
  }
  if (!DECIMAL_INTEGER.test(input)) return undefined;
  const digits = input.replace(/^0+(?=.)/, '');
  if (digits.length > Math.ceil(bits * Math.log10(2))) return undefined;
  const value = BigInt(digits);
  return value < 1n << BigInt(bits) ? `0x${value.toString(16)}` : undefined;
}

/** A node's quantity as a number to reckon with; anything else is UPSTREAM_BAD_RESPONSE. */
export function toBigInt(quantity: unknown): bigint {
  if (typeof quantity === 'string' && quantity.length <= 66 && HEX_INTEGER.test(quantity)) return BigInt(quantity);
  throw new GraphError('UPSTREAM_BAD_RESPONSE', 'What the node sent is not a number.');
}

/** The quantity of a non-negative integer. */
export const quantityOf = (value: bigint | number): Quantity => `0x${value.toString(16)}`;

/** Whether two values are the same bytes; nodes differ in the case of their digits. */
export const sameData = (a: unknown, b: unknown): boolean =>
  a === b ? typeof a === 'string' : typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase();

/** Whether a text names a block by hash rather than by height or tag. */
export const isBlockHash = (ref: string): boolean => ref.length === 66;
