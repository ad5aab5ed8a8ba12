import { readFileSync } from 'node:fs';
import type { DevnetToken } from './tokens.ts';

/** One token in a token list; more than its contract tells where that tells less. */
interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The whole image as data: a URI that holds wherever this server is reached, and loads nothing from anywhere. */
  readonly logoURI: string;
}

/** A token list: https://uniswap.org/tokenlist.schema.json. */
export interface TokenList {
  readonly name: string;
  readonly timestamp: string;
  readonly version: { readonly major: number; readonly minor: number; readonly patch: number };
  readonly tokens: readonly ListedToken[];
}

/** The bare token's own symbol and decimals, which no contract tells: `tokens.ts` counts it with 18. */
const BARE_TOKEN = { symbol: 'NMLS', decimals: 18 };

/** The committed logo of an embedded token, as a data URI. The path holds from `src/devnet` and from `dist/devnet`. */
export function tokenLogo({ name, symbol }: DevnetToken): string {
  const file = `${(symbol ?? name).toLowerCase()}.svg`;
  const image = readFileSync(new URL(`../../../assets/logos/${file}`, import.meta.url));
  return `data:image/svg+xml;base64,${image.toString('base64')}`;
}

/** The tokens of the embedded chain, with logos of ours, all under 1 KiB; it makes the bare token one with a name. */
export const embeddedTokenList = (chainId: number, tokens: readonly DevnetToken[]): TokenList => ({
  name: 'Embedded chain',
  timestamp: '2025-01-01T00:00:00.000Z',
  version: { major: 1, minor: 0, patch: 0 },
  tokens: tokens.map((token) => ({
    chainId,
    address: token.address,
    name: token.name,
    symbol: token.symbol ?? BARE_TOKEN.symbol,
    decimals: token.decimals ?? BARE_TOKEN.decimals,
    logoURI: tokenLogo(token),
  })),
});
