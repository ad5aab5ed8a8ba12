import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { GraphError } from '../../errors.ts';
import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import { firstNonEmptyFields, sanitizeLogoUri, sanitizeTokenText, type TokenMetadata } from './metadata.ts';

/** What the operator's token lists say. */
export interface TokenLists {
  /** What is listed of a contract on that chain, in any case of letters; undefined when no list has it. */
  find(chainId: Quantity, address: Data): TokenMetadata | undefined;
}

/** The lists of known exchanges have 1 to 3 MiB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const integerBetween = (least: number, most: number) => {
  const words = `is not a whole number from ${least} to ${most}`;
  return z.int(words).min(least, words).max(most, words);
};

const tokenListSchema = z.object({ tokens: z.array(z.unknown(), 'is not a list') }, 'is not an object');

/** https://uniswap.org/tokenlist.schema.json, as much of it as is used; a logo that cannot be shown is none, and no reason to refuse a list. */
const tokenEntrySchema = z.object(
  {
    chainId: integerBetween(1, Number.MAX_SAFE_INTEGER),
    address: z.string('is not an address').regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address'),
    name: z.string('is not a text').transform(sanitizeTokenText),
    symbol: z.string('is not a text').transform(sanitizeTokenText),
    decimals: integerBetween(0, 255),
    logoURI: z
      .unknown()
      .optional()
      .transform((logo) => (typeof logo === 'string' ? sanitizeLogoUri(logo) : null)),
  },
  'is not an object',
);

const tokenListError = (label: string, problem: string, cause?: unknown) =>
  new GraphError('BAD_USER_INPUT', `The token list ${label} ${problem}.`, { cause });

/** A value of that shape, or BAD_USER_INPUT saying where in the list it is wrong. */
function parseWithSchema<T extends z.ZodType>(schema: T, value: unknown, label: string, place: string): z.output<T> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  const where = [place, ...path].filter((part) => part !== '').join('.');
  throw tokenListError(label, where === '' ? message : `is wrong at ${where}, which ${message}`);
}

function indexTokenLists(lists: readonly { readonly label: string; readonly list: unknown }[]): TokenLists {
  const known = new Map<string, TokenMetadata>();
  const keyOf = (chainId: Quantity, address: string) => `${chainId} ${address.toLowerCase()}`;
  for (const { label, list } of lists) {
    for (const [index, token] of parseWithSchema(tokenListSchema, list, label, '').tokens.entries()) {
      const { chainId, address, name, symbol, decimals, logoURI } = parseWithSchema(
        tokenEntrySchema,
        token,
        label,
        `tokens[${index}]`,
      );
      const key = keyOf(quantityOf(chainId), address);
      const entry = { name, symbol, decimals, logo: logoURI };
      known.set(key, firstNonEmptyFields([known.get(key), entry]) ?? entry);
    }
  }
  return { find: (chainId, address) => known.get(keyOf(chainId, address)) };
}

/**
 * Opens lists in the Token Lists format that are in memory already, in order of preference: where two have a token, each field is the first
 * one's that has it. Throws BAD_USER_INPUT naming the list by its place, from 1, and what is wrong in it.
 */
export const parseTokenLists = (lists: readonly unknown[]): TokenLists =>
  indexTokenLists(lists.map((list, index) => ({ label: String(index + 1), list })));

/**
 * Opens files in the Token Lists format (setting TOKEN_LISTS), and after them lists that are in memory; the order is that of preference, as with
 * `openTokenLists`. Reads at once, for the start. Throws BAD_USER_INPUT naming the file and the place when one cannot be read, is larger than
 * 16 MiB, or is no token list.
 */
export const readTokenLists = (paths: readonly string[], more: readonly unknown[] = []): TokenLists =>
  indexTokenLists([
    ...paths.map((path) => ({ label: fileLabel(path), list: readJsonFile(path) })),
    ...more.map((list, index) => ({ label: String(paths.length + index + 1), list })),
  ]);

const fileLabel = (path: string): string => `"${path}" of TOKEN_LISTS`;

function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    // Editors of one system begin a file with a mark that JSON does not know.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw tokenListError(fileLabel(path), 'is not JSON', cause);
  }
}

const READ_ERROR_REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this process may not read it',
};

function readTextFile(path: string): string {
  try {
    const stat = statSync(path);
    // Reading a pipe or a device may never end.
    if (!stat.isFile()) throw tokenListError(fileLabel(path), 'cannot be read: it is no file');
    if (stat.size > MAX_FILE_BYTES) throw tokenListError(fileLabel(path), `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof GraphError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw tokenListError(fileLabel(path), `cannot be read: ${READ_ERROR_REASONS[code] ?? code}`, cause);
  }
}
