import { parseUrl } from '../lib/urls.ts';
import { type Data, quantityOf, sameData, toData } from './hex.ts';
import type { RpcLog } from './rpc-types.ts';

/** Topic of `Transfer(address,address,uint256)`, in ERC-20 and in ERC-721. */
export const TRANSFER_TOPIC: Data = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A transfer of ERC-20 tokens. The amount is in the token's smallest unit. */
export type TokenTransfer = NonNullable<ReturnType<typeof tokenTransferOf>>;

/** The address of the logs of ether transfers (EIP-7708), which no contract can have. */
const ETHER_LOG_ADDRESS: Data = `0x${'f'.repeat(39)}e`;

/** Whether a log is a transfer of ether (EIP-7708), which looks like the transfer of a token but moves the value of a transaction or call. */
export const isEtherTransferLog = ({ address, topics }: Pick<RpcLog, 'address' | 'topics'>): boolean =>
  sameData(address, ETHER_LOG_ADDRESS) && sameData(topics[0], TRANSFER_TOPIC);

/** An address as a topic. */
export const addressTopic = (address: Data): Data => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

const ADDRESS_WORD = /^0x0{24}[0-9a-f]{40}$/i;

/**
 * The transfer of a log with indexed accounts; undefined for other events, such as the transfer of an NFT, which has an indexed id, or of ether
 * (EIP-7708).
 */
export function tokenTransferOf(log: RpcLog) {
  const [topic, from = '', to = '', ...others] = log.topics;
  if (topic?.toLowerCase() !== TRANSFER_TOPIC || others.length > 0 || toData(log.data, 32) === undefined) return undefined;
  if (isEtherTransferLog(log)) return undefined;
  if (!ADDRESS_WORD.test(from) || !ADDRESS_WORD.test(to)) return undefined;
  const addressIn = (word: Data): Data => `0x${word.slice(26).toLowerCase()}`;
  return { from: addressIn(from), to: addressIn(to), amount: quantityOf(BigInt(log.data)), log };
}

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

/** Maximum length of a name or symbol; longer texts are advertisements. */
const MAX_TEXT_CHARACTERS = 128;
/** Maximum length of the UTF-8 of a name or symbol. */
export const MAX_TEXT_BYTES = 4 * MAX_TEXT_CHARACTERS;
/** Limits inline images, which are part of every response that selects them. */
const MAX_LOGO_CHARACTERS = 16 * 1024;

/** Control characters, line separators, lone surrogates and invisible format characters, except the joiners that scripts and emoji need. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|(?!\u200c|\u200d)\p{Cf}/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;
const DATA_IMAGE_URI = /^data:image\/[a-z0-9.+-]+[;,]/i;
const REMOTE_URI = /^(?:https?|ipfs):\/\/[^/]/i;

/** The first value of each field in the order of the sources, skipping null and ''. Null if no field has a value. */
export function firstNonEmptyFields(sources: readonly (TokenMetadata | null | undefined)[]): TokenMetadata | null {
  const first = <Field extends keyof TokenMetadata>(field: Field): TokenMetadata[Field] | null =>
    sources.find((source) => source && source[field] !== null && source[field] !== '')?.[field] ?? null;
  return nullIfEmpty({ name: first('name'), symbol: first('symbol'), decimals: first('decimals'), logo: first('logo') });
}

/** The metadata; null if it has no field. */
export const nullIfEmpty = (metadata: TokenMetadata): TokenMetadata | null =>
  Object.values(metadata).some((value) => value !== null) ? metadata : null;

/**
 * Removes control characters, invisible characters and surrounding white space from a name or symbol. Null if no
 * visible character or more than 128 characters remain. A long text is not truncated, because a truncated name is a
 * different name.
 */
export function sanitizeTokenText(text: string): string | null {
  if (text.length > MAX_TEXT_BYTES) return null;
  const sanitized = text.replace(INVISIBLE_CHARACTERS, '').trim();
  return VISIBLE_CHARACTER.test(sanitized) && [...sanitized].length <= MAX_TEXT_CHARACTERS ? sanitized : null;
}

/** Returns a logo unchanged if it is an http, https, ipfs or data:image URI of at most 16 KiB; else null, since a page might execute or request it. */
export function sanitizeLogoUri(text: string): string | null {
  if (text.length > MAX_LOGO_CHARACTERS || /[\s\p{Cc}]/u.test(text)) return null;
  return DATA_IMAGE_URI.test(text) || (REMOTE_URI.test(text) && parseUrl(text) !== undefined) ? text : null;
}
