import { z } from 'zod';
import { type Data, type Quantity, quantityOf } from '../ethereum/hex.ts';
import { firstNonEmptyFields, sanitizeLogoUri, sanitizeTokenText, type TokenMetadata } from '../ethereum/tokens.ts';
import { GraphError } from '../lib/errors.ts';
import { locationOf, readJsonFile } from '../lib/json-file.ts';

/** Index of the operator's token lists. */
export type TokenLists = ReturnType<typeof indexTokenLists>;

const integerBetween = (min: number, max: number) => {
  const message = `is not an integer from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** The used part of https://uniswap.org/tokenlist.schema.json. An invalid logo becomes null instead of rejecting the list. */
const tokenEntrySchema = z.object(
  {
    chainId: integerBetween(1, Number.MAX_SAFE_INTEGER),
    address: z.string('is not an address').regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address'),
    name: z.string('is not a string').transform(sanitizeTokenText),
    symbol: z.string('is not a string').transform(sanitizeTokenText),
    decimals: integerBetween(0, 255),
    logoURI: z
      .unknown()
      .optional()
      .transform((logo) => (typeof logo === 'string' ? sanitizeLogoUri(logo) : null)),
  },
  'is not an object',
);

const tokenListSchema = z.object({ tokens: z.array(tokenEntrySchema, 'is not a list') }, 'is not an object');

const tokenListError = (label: string, problem: string, cause?: unknown) =>
  new GraphError('BAD_USER_INPUT', `The token list ${label} ${problem}.`, { cause });

/** Returns the entries of a list. Throws BAD_USER_INPUT with the path of the first invalid value. */
function tokensOf(list: unknown, label: string) {
  const { data, error } = tokenListSchema.safeParse(list);
  if (data) return data.tokens;
  const { path, message } = error.issues[0]!;
  const location = locationOf(path);
  throw tokenListError(label, location === '' ? message : `is invalid: ${location} ${message}`);
}

function indexTokenLists(lists: readonly { readonly label: string; readonly list: unknown }[]) {
  const metadataByKey = new Map<string, TokenMetadata>();
  const contractsByChain = new Map<Quantity, Set<Data>>();
  const keyOf = (chainId: Quantity | null, address: string) => `${chainId} ${address.toLowerCase()}`;
  for (const { label, list } of lists) {
    for (const { chainId, address, name, symbol, decimals, logoURI } of tokensOf(list, label)) {
      const chain = quantityOf(chainId);
      const key = keyOf(chain, address);
      const contracts = contractsByChain.get(chain) ?? new Set();
      contractsByChain.set(chain, contracts.add(address.toLowerCase()));
      const entry = { name, symbol, decimals, logo: logoURI };
      metadataByKey.set(key, firstNonEmptyFields([metadataByKey.get(key), entry]) ?? entry);
    }
  }
  return {
    /** The listed metadata of a contract on a chain; the address is case-insensitive. Undefined if no list has it, and for null. */
    find: (chainId: Quantity | null, address: Data) => metadataByKey.get(keyOf(chainId, address)),
    /** The distinct contracts of the lists on a chain, lower case, in the order of the lists; empty for null. */
    contractsOn: (chainId: Quantity | null): readonly Data[] => [...((chainId !== null && contractsByChain.get(chainId)) || [])],
  };
}

/**
 * Reads the files of TOKEN_LISTS, in the Token Lists format, synchronously and parses them, then the lists of `more`. If several lists have a
 * token, each field comes from the first list that has the field. Throws BAD_USER_INPUT with the file, or the number of the list from 1, and the
 * invalid value if a file cannot be read or is larger than 16 MiB, or a list is not a token list.
 */
export function readTokenLists(paths: readonly string[], more: readonly unknown[] = []): TokenLists {
  const files = paths.map((path) => {
    const label = `"${path}" of TOKEN_LISTS`;
    return { label, list: readJsonFile(path, (problem, cause) => tokenListError(label, problem, cause)) };
  });
  return indexTokenLists([...files, ...more.map((list, i) => ({ label: String(paths.length + 1 + i), list }))]);
}
