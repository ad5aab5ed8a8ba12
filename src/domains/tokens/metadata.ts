import { asObject, invalidShape } from '../../ethereum/decoders.ts';
import { type Data, toQuantity } from '../../ethereum/hex.ts';
import { MAX_TEXT_BYTES, nullIfEmpty, sanitizeLogoUri, sanitizeTokenText, type TokenMetadata } from '../../ethereum/tokens.ts';

/**
 * Decodes and sanitizes the result of `name()` or `symbol()`: an ABI string, or a zero-padded bytes32 as MKR returns. Null if it is neither, if
 * its offset or length is out of bounds, or if it is not UTF-8. Never throws; copies at most 512 bytes.
 */
export function decodeText(data: Data): string | null {
  const bytes = data.length === 66 ? ZERO_PADDED_TEXT.exec(data)?.[1] : abiStringBytes(data);
  if (bytes === undefined) return null;
  try {
    return sanitizeTokenText(utf8.decode(Buffer.from(bytes, 'hex')));
  } catch {
    return null;
  }
}

/** Text followed by zeros only: zeros before or between the bytes indicate a number or a hash. */
const ZERO_PADDED_TEXT = /^0x((?:(?!00)[0-9a-f]{2})*)(?:00)*$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Hex digits of the only string of an ABI-encoded result; undefined if it is malformed or too long. Checks the bounds before copying. */
function abiStringBytes(data: Data): string | undefined {
  const offset = wordAsNumber(data, 0);
  const length = wordAsNumber(data, offset);
  if (!(length <= MAX_TEXT_BYTES)) return undefined;
  const digits = data.slice(66 + 2 * offset, 66 + 2 * (offset + length));
  return digits.length === 2 * length ? digits : undefined;
}

/** The number in the word at a byte offset, inexact above 2^53; NaN if there is no word there. */
function wordAsNumber(data: Data, offset: number): number {
  const word = data.slice(2 + 2 * offset, 66 + 2 * offset);
  return word.length === 64 ? Number.parseInt(word, 16) : Number.NaN;
}

/** Decodes the result of `decimals()`, a uint8 in one word. Null for any other result. */
export const decodeDecimals = (data: Data): number | null =>
  /^0x0{62}[0-9a-f]{2}$/i.test(data) ? Number.parseInt(data, 16) : null;

/** Decodes a string; '' for null or undefined. */
function decodeOptionalText(value: unknown, expected: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw invalidShape(expected);
  return text;
}

function decodeOptionalDecimals(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'number' && typeof value !== 'string') throw invalidShape("a token's decimals");
  const decimals = Number(toQuantity(value, 8));
  return decimals <= 255 ? decimals : null;
}

/**
 * Decodes the result of `svc_getTokenMetadata` or `alchemy_getTokenMetadata`. Decimals may be a number, a decimal string or 0x-hex. A field is
 * null if it is missing, empty or rejected by sanitizing; the result is null if all fields are. Throws UPSTREAM_BAD_RESPONSE for a field of
 * another type.
 */
export function decodeServiceMetadata(result: unknown): TokenMetadata | null {
  if (result === null) return null;
  const { name, symbol, decimals, logo } = asObject(result);
  return nullIfEmpty({
    name: sanitizeTokenText(decodeOptionalText(name, "a token's name")),
    symbol: sanitizeTokenText(decodeOptionalText(symbol, "a token's symbol")),
    decimals: decodeOptionalDecimals(decimals),
    logo: sanitizeLogoUri(decodeOptionalText(logo, "a token's logo")),
  });
}
