export const isNumber = (text: string): boolean => /^[0-9]{1,15}$/.test(text);
export const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);
export const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

/** The ids that the server accepts: of 256 bits. */
export const isWizardId = (text: string): boolean => /^[0-9]{1,78}$/.test(text);

/** What a search text means. */
export type SearchText =
  /** The path of the only page that it can mean. */
  | { readonly kind: 'path'; readonly path: string }
  /** A block or a wizard. */
  | { readonly kind: 'number'; readonly number: string }
  /** A block, a transaction or a duel. */
  | { readonly kind: 'hash' }
  | { readonly kind: 'address' }
  /** The beginning and the end of a hash, an id of a duel or an address, as the pages show it. */
  | { readonly kind: 'shortened'; readonly start: string; readonly end: string }
  /** The symbol or the name of a token, or the name of an account. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'invalid' };

/** A kind of object before its number, hash, address or name: `wizard 43`. */
const PREFIXED = /^(wizard|duels?|block|tx|transaction|address|account|token(?=\s|#|0x))\s*#?\s*(\S.*)$/i;
/** A shortened hash, as the pages show it: `0x12ab…9f3d`. */
const SHORTENED = /^(0x[0-9a-f]*)(…|\.{2,3})?([0-9a-f]*)$/i;
/** A number as the pages show it: `#20` or `1,000`. */
const NUMBER = /^#?\s*(\d{1,3}(?:,\d{3})+|\d+)$/;

/** The text in the path of a search. The router leaves `/`, `#` and `?` of a text encoded. */
export function searchTextOf(pathname: string): string {
  const text = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(text).trim();
  } catch {
    return text;
  }
}

/** Parses the text of a search. Upper and lower case are equal. */
export function parseSearch(input: string): SearchText {
  const text = input.trim();
  const [, word, rest] = PREFIXED.exec(text) ?? [];
  if (word && rest) return parsePrefixed(word.toLowerCase(), rest.trim()) ?? { kind: 'name', text };
  const number = numberOf(text);
  if (isNumber(number)) return { kind: 'number', number };
  if (isHash(text)) return { kind: 'hash' };
  if (isAddress(text)) return { kind: 'address' };
  const [, start, dots, end] = SHORTENED.exec(text.toLowerCase()) ?? [];
  if (start && dots && end) return { kind: 'shortened', start, end };
  return /^0x/i.test(text) || text === '' ? { kind: 'invalid' } : { kind: 'name', text };
}

const numberOf = (text: string): string => NUMBER.exec(text)?.[1]?.replaceAll(',', '') ?? '';

/** Null for a text after the word that does not fit, so that the whole text may be the name of a token. */
function parsePrefixed(word: string, rest: string): SearchText | null {
  const id = rest.toLowerCase();
  const number = numberOf(rest);
  switch (word) {
    case 'wizard':
      return isWizardId(number) ? { kind: 'path', path: `/wizard/${BigInt(number)}` } : null;
    case 'block':
      return isNumber(number) || isHash(rest) ? { kind: 'path', path: `/block/${number || id}` } : null;
    case 'tx':
    case 'transaction':
      return isHash(rest) ? { kind: 'path', path: `/tx/${id}` } : null;
    case 'address':
    case 'account':
      return isAddress(rest) ? { kind: 'address' } : null;
    case 'token':
      return isAddress(rest) ? { kind: 'path', path: `/token/${id}` } : { kind: 'name', text: rest };
    default: {
      if (isHash(rest)) return { kind: 'path', path: `/duel/${id}` };
      // The page of a wizard lists its duels.
      if (isWizardId(number)) return { kind: 'path', path: `/wizard/${BigInt(number)}` };
      const [, start, , end] = SHORTENED.exec(id) ?? [];
      return start === undefined || end === undefined ? null : { kind: 'shortened', start, end };
    }
  }
}

/** The variables of the operation that finds what a text means. Values for the other kinds are not used. */
export function searchVariables(text: string, search: SearchText) {
  const { kind } = search;
  const id = (kind === 'number' ? search.number : text.toLowerCase()) as `0x${string}`;
  return {
    ...(kind === 'number' && { number: id }),
    hash: kind === 'hash' ? id : (`0x${'0'.repeat(64)}` as const),
    address: kind === 'address' ? (`0x${id.slice(-40)}` as const) : (`0x${'0'.repeat(40)}` as const),
    id,
    isNumber: kind === 'number',
    isHash: kind === 'hash',
    isAddress: kind === 'address',
    isName: kind === 'name',
    isShortened: kind === 'shortened',
  };
}

interface Named {
  readonly names: readonly (string | null | undefined)[];
}

/** The entries one of whose names contains a text; only those with this name, if there are any. */
export function matchingNames<Entry extends Named>(entries: readonly Entry[], text: string): readonly Entry[] {
  const key = text.toLowerCase();
  const having = (matches: (name: string) => boolean) =>
    entries.filter(({ names }) => names.some((name) => name != null && matches(name.toLowerCase())));
  const equal = having((name) => name === key);
  return equal.length > 0 ? equal : having((name) => name.includes(key));
}
