export const isNumber = (text: string): boolean => /^[0-9]{1,15}$/.test(text);
export const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);
export const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

/** What a search text means. */
export type SearchText =
  /** The path of the only page that it can mean. */
  | { readonly kind: 'path'; readonly path: string }
  /** A block or a wizard. */
  | { readonly kind: 'number' }
  /** A block, a transaction or a duel. */
  | { readonly kind: 'hash' }
  | { readonly kind: 'address' }
  /** The beginning and the end of the id of a duel. */
  | { readonly kind: 'duel'; readonly start: string; readonly end: string }
  /** The symbol or the name of a token. */
  | { readonly kind: 'token'; readonly text: string }
  | { readonly kind: 'invalid' };

/** A kind of object before its number, hash, address or name: `wizard 43`. */
const PREFIXED = /^(wizard|duels?|block|tx|transaction|address|account|token)\s*#?\s*(\S.*)$/i;
/** A shortened hash, as the pages show it: `0x12ab…9f3d`. */
const SHORTENED = /^(0x[0-9a-f]*)(?:…|\.{2,3})?([0-9a-f]*)$/i;

/** The text in the path of a search. The router leaves `/`, `#` and `?` of a text encoded. */
export function searchTextOf(pathname: string): string {
  const text = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses the text of a search. Upper and lower case are equal. */
export function parseSearch(input: string): SearchText {
  const text = input.trim();
  const [, word, rest] = PREFIXED.exec(text) ?? [];
  if (word && rest) return parsePrefixed(word.toLowerCase(), rest.trim()) ?? { kind: 'token', text };
  if (isNumber(text)) return { kind: 'number' };
  if (isHash(text)) return { kind: 'hash' };
  if (isAddress(text)) return { kind: 'address' };
  return /^0x/i.test(text) || text === '' ? { kind: 'invalid' } : { kind: 'token', text };
}

/** Null for a text after the word that does not fit, so that the whole text may be the name of a token. */
function parsePrefixed(word: string, rest: string): SearchText | null {
  const id = rest.toLowerCase();
  switch (word) {
    case 'wizard':
      return isNumber(rest) ? { kind: 'path', path: `/wizard/${Number(rest)}` } : null;
    case 'block':
      return isNumber(rest) || isHash(rest) ? { kind: 'path', path: `/block/${id}` } : null;
    case 'tx':
    case 'transaction':
      return isHash(rest) ? { kind: 'path', path: `/tx/${id}` } : null;
    case 'address':
    case 'account':
      return isAddress(rest) ? { kind: 'address' } : null;
    case 'token':
      return isAddress(rest) ? { kind: 'path', path: `/token/${id}` } : { kind: 'token', text: rest };
    default: {
      if (isHash(rest)) return { kind: 'path', path: `/duel/${id}` };
      // The page of a wizard lists its duels.
      if (isNumber(rest)) return { kind: 'path', path: `/wizard/${Number(rest)}` };
      const [, start, end] = SHORTENED.exec(id) ?? [];
      return start === undefined || end === undefined ? null : { kind: 'duel', start, end };
    }
  }
}

/** The variables of the operation that finds what a text means. Values for the other kinds are not used. */
export function searchVariables(text: string, { kind }: SearchText) {
  const id = text.toLowerCase() as `0x${string}`;
  return {
    ...(kind === 'number' && { number: id }),
    hash: kind === 'hash' ? id : (`0x${'0'.repeat(64)}` as const),
    address: kind === 'address' ? (`0x${id.slice(-40)}` as const) : (`0x${'0'.repeat(40)}` as const),
    id,
    isNumber: kind === 'number',
    isHash: kind === 'hash',
    isAddress: kind === 'address',
    isText: kind === 'token',
    isDuel: kind === 'duel',
  };
}

interface NamedToken {
  readonly symbol: string | null;
  readonly name: string | null;
}

/** The tokens whose symbol or name contains a text; only those with this symbol or name, if there are any. */
export function matchingTokens<Token extends NamedToken>(tokens: readonly Token[], text: string): readonly Token[] {
  const key = text.toLowerCase();
  const names = ({ symbol, name }: NamedToken) => [symbol, name].map((value) => value?.toLowerCase() ?? '');
  const equal = tokens.filter((token) => names(token).includes(key));
  return equal.length > 0 ? equal : tokens.filter((token) => names(token).some((value) => value.includes(key)));
}
