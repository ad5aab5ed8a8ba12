import { invalidShape, object } from '../../ethereum/decoders.ts';
import { type Data, toQuantity } from '../../ethereum/hex.ts';

/** What is known of a token; null where nobody tells. */
export interface TokenMetadata {
  /** 1 to 128 characters that can be shown. */
  readonly name: string | null;
  /** 1 to 128 characters that can be shown. */
  readonly symbol: string | null;
  /** 0 to 255. */
  readonly decimals: number | null;
  /** http, https, ipfs or data:image URI of an image, never fetched here. */
  readonly logo: string | null;
}

/** Who tells of one token; null or absent where a source knows nothing of it, or was not asked. */
export interface MetadataSources {
  readonly listed?: TokenMetadata | null | undefined;
  readonly service?: TokenMetadata | null | undefined;
  readonly contract?: TokenMetadata | null | undefined;
}

/** The longest name anybody means; longer ones are advertisements. */
const MAX_TEXT_CHARACTERS = 128;
const MAX_TEXT_BYTES = 4 * MAX_TEXT_CHARACTERS;
/** An image inside a URI goes out with every answer that selects it. */
const MAX_LOGO_CHARACTERS = 16 * 1024;

/** Control characters, line ends, halves of characters, and marks that nobody sees, but for the joiners that some scripts and emojis need. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|(?!\u200c|\u200d)\p{Cf}/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;
const DATA_IMAGE_URI = /^data:image\/[a-z0-9.+-]+[;,]/i;
const REMOTE_URI = /^(?:https?|ipfs):\/\/[^/]/i;

/** The first value of each field; null when there is none at all. An empty text is no value, 0 decimals are one. */
export function firstNonEmptyFields(sources: readonly (TokenMetadata | null | undefined)[]): TokenMetadata | null {
  const first = <Field extends keyof TokenMetadata>(field: Field): TokenMetadata[Field] | null =>
    sources.find((source) => source && source[field] !== null && source[field] !== '')?.[field] ?? null;
  return nullIfEmpty({ name: first('name'), symbol: first('symbol'), decimals: first('decimals'), logo: first('logo') });
}

const nullIfEmpty = (metadata: TokenMetadata): TokenMetadata | null =>
  Object.values(metadata).some((value) => value !== null) ? metadata : null;

/**
 * What all sources together know, field by field: token lists go first, then the service, then the contract. Lists are the operator's own
 * choice, and the service's database is maintained by people: both are there to put right what a contract lacks or no longer tells right.
 * Only these two have logos. Null when no source knows anything.
 */
export const mergeMetadata = ({ listed, service, contract }: MetadataSources): TokenMetadata | null =>
  firstNonEmptyFields([listed, service, contract]);

/**
 * A name or symbol as it may be shown: without control characters, invisible marks, and white space around it. Null when nothing visible is
 * left, and when it is longer than 128 characters: a cut name would be one that nobody gave.
 */
export function sanitizeTokenText(text: string): string | null {
  if (text.length > MAX_TEXT_BYTES) return null;
  const shown = text.replace(INVISIBLE_CHARACTERS, '').trim();
  return VISIBLE_CHARACTER.test(shown) && [...shown].length <= MAX_TEXT_CHARACTERS ? shown : null;
}

/** A logo as it came, when it is an http, https, ipfs or data:image URI; null for any other text, which a page could run or ask for. */
export function sanitizeLogoUri(text: string): string | null {
  if (text.length > MAX_LOGO_CHARACTERS || /[\s\p{Cc}]/u.test(text)) return null;
  return DATA_IMAGE_URI.test(text) || (REMOTE_URI.test(text) && URL.canParse(text)) ? text : null;
}

/**
 * What `name()` or `symbol()` returned, as it may be shown (`shownText`): a string, or a bytes32 filled up with zeros, as MKR has it.
 * Null when it is neither, when its offset or length points outside, and when it is no UTF-8. Never throws; copies 512 bytes at most.
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

/** Zeros between the text's bytes, or before them, make it a number or a hash. */
const ZERO_PADDED_TEXT = /^0x((?:(?!00)[0-9a-f]{2})*)(?:00)*$/i;
const WORD = /^[0-9a-f]{64}$/i;
const BYTES = /^(?:[0-9a-f]{2})*$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes of the only string of a result, as digits. What does not fit in it is judged by numbers, before anything is copied. */
function abiStringBytes(data: Data): string | undefined {
  const offset = wordAsNumber(data, 0);
  const length = wordAsNumber(data, offset);
  if (!(length <= MAX_TEXT_BYTES)) return undefined;
  const digits = data.slice(66 + 2 * offset, 66 + 2 * (offset + length));
  return digits.length === 2 * length && BYTES.test(digits) ? digits : undefined;
}

/** The number in the word at an offset in bytes, inexact where it is too large to mean anything; NaN when there is no word. */
function wordAsNumber(data: Data, offset: number): number {
  const word = data.slice(2 + 2 * offset, 66 + 2 * offset);
  return WORD.test(word) ? Number.parseInt(word, 16) : Number.NaN;
}

/** What `decimals()` returned: a uint8 in one word. Null for anything else, a greater number included. */
export const decodeDecimals = (data: Data): number | null =>
  /^0x0{62}[0-9a-f]{2}$/i.test(data) ? Number.parseInt(data, 16) : null;

/** Empty when there is none. */
function decodeOptionalText(value: unknown, wanted: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw invalidShape(wanted);
  return text;
}

function decodeOptionalDecimals(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'number' && typeof value !== 'string') throw invalidShape("a token's decimals");
  const decimals = Number(toQuantity(value, 8));
  return decimals <= 255 ? decimals : null;
}

/**
 * What the service's database knows of a token. Source: the result of `svc_getTokenMetadata` or `alchemy_getTokenMetadata`, whose decimals may
 * be a number, a decimal string or 0x-hex. A field is null when it is missing, empty, or nothing that may be shown; the whole is null when all
 * are. A field of another type is UPSTREAM_BAD_RESPONSE.
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
