import { invalidShape, object } from '../../ethereum/decoders.ts';
import { type Data, toQuantity } from '../../ethereum/hex.ts';

/** Metadata of a token. A field is null if no source has it. */
export interface TokenMetadata {
  /** 1 to 128 characters, with at least one visible. */
  readonly name: string | null;
  /** 1 to 128 characters, with at least one visible. */
  readonly symbol: string | null;
  /** 0 to 255. */
  readonly decimals: number | null;
  /** http, https, ipfs or data:image URI of an image. This server never fetches it. */
  readonly logo: string | null;
}

/** Metadata of one token by source; null or absent if the source has none or was not read. */
export interface MetadataSources {
  readonly listed?: TokenMetadata | null | undefined;
  readonly service?: TokenMetadata | null | undefined;
  readonly contract?: TokenMetadata | null | undefined;
}

/** Maximum length of a name or symbol; longer ones are advertisements. */
const MAX_TEXT_CHARACTERS = 128;
const MAX_TEXT_BYTES = 4 * MAX_TEXT_CHARACTERS;
/** Limits inline images, which are part of every response that selects them. */
const MAX_LOGO_CHARACTERS = 16 * 1024;

/** Control characters, line separators, lone surrogates and invisible format characters, except the joiners that scripts and emoji need. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|(?!\u200c|\u200d)\p{Cf}/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;
const DATA_IMAGE_URI = /^data:image\/[a-z0-9.+-]+[;,]/i;
const REMOTE_URI = /^(?:https?|ipfs):\/\/[^/]/i;

/** The first value of each field in the order of the sources, skipping null and ''; null if no field has one. */
export function firstNonEmptyFields(sources: readonly (TokenMetadata | null | undefined)[]): TokenMetadata | null {
  const first = <Field extends keyof TokenMetadata>(field: Field): TokenMetadata[Field] | null =>
    sources.find((source) => source && source[field] !== null && source[field] !== '')?.[field] ?? null;
  return nullIfEmpty({ name: first('name'), symbol: first('symbol'), decimals: first('decimals'), logo: first('logo') });
}

const nullIfEmpty = (metadata: TokenMetadata): TokenMetadata | null =>
  Object.values(metadata).some((value) => value !== null) ? metadata : null;

/**
 * Merges the sources field by field, in order of precedence: token lists, the service's database, the contract. Lists are the operator's
 * choice and the database is curated: both correct contracts whose metadata is missing or outdated, and only they have logos. Null if no
 * source has any field.
 */
export const mergeMetadata = ({ listed, service, contract }: MetadataSources): TokenMetadata | null =>
  firstNonEmptyFields([listed, service, contract]);

/**
 * Removes control characters, invisible characters and surrounding white space from a name or symbol. Null if nothing visible remains or more
 * than 128 characters do; it is not truncated, because a truncated name is a different name.
 */
export function sanitizeTokenText(text: string): string | null {
  if (text.length > MAX_TEXT_BYTES) return null;
  const sanitized = text.replace(INVISIBLE_CHARACTERS, '').trim();
  return VISIBLE_CHARACTER.test(sanitized) && [...sanitized].length <= MAX_TEXT_CHARACTERS ? sanitized : null;
}

/** Returns a logo unchanged if it is an http, https, ipfs or data:image URI of at most 16 KiB; else null, since a page might execute or request it. */
export function sanitizeLogoUri(text: string): string | null {
  if (text.length > MAX_LOGO_CHARACTERS || /[\s\p{Cc}]/u.test(text)) return null;
  return DATA_IMAGE_URI.test(text) || (REMOTE_URI.test(text) && URL.canParse(text)) ? text : null;
}

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
const WORD = /^[0-9a-f]{64}$/i;
const BYTES = /^(?:[0-9a-f]{2})*$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Hex digits of the only string of an ABI-encoded result; undefined if it is malformed or too long. Checks the bounds before copying. */
function abiStringBytes(data: Data): string | undefined {
  const offset = wordAsNumber(data, 0);
  const length = wordAsNumber(data, offset);
  if (!(length <= MAX_TEXT_BYTES)) return undefined;
  const digits = data.slice(66 + 2 * offset, 66 + 2 * (offset + length));
  return digits.length === 2 * length && BYTES.test(digits) ? digits : undefined;
}

/** The number in the word at a byte offset, inexact above 2^53; NaN if there is no word there. */
function wordAsNumber(data: Data, offset: number): number {
  const word = data.slice(2 + 2 * offset, 66 + 2 * offset);
  return WORD.test(word) ? Number.parseInt(word, 16) : Number.NaN;
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
  const { name, symbol, decimals, logo } = object<Record<string, unknown>>()(result);
  return nullIfEmpty({
    name: sanitizeTokenText(decodeOptionalText(name, "a token's name")),
    symbol: sanitizeTokenText(decodeOptionalText(symbol, "a token's symbol")),
    decimals: decodeOptionalDecimals(decimals),
    logo: sanitizeLogoUri(decodeOptionalText(logo, "a token's logo")),
  });
}
