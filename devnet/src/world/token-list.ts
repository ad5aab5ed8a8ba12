import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { DevnetToken } from './tokens.ts';

/** An entry of a token list. It has fields that the contract of the bare token lacks. */
interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The image as a data URI, so that clients load nothing. */
  readonly logoURI: string;
}

/** A token list: https://uniswap.org/tokenlist.schema.json. */
export interface TokenList {
  readonly name: string;
  readonly timestamp: string;
  readonly version: { readonly major: number; readonly minor: number; readonly patch: number };
  readonly tokens: readonly ListedToken[];
}

/** Symbol and decimals of the bare token, whose contract has neither. */
const BARE_TOKEN = { symbol: 'NMLS', decimals: 18 };

/** The committed logo of an embedded token, as a data URI. */
function tokenLogo({ name, symbol }: DevnetToken): string {
  const file = `${(symbol ?? name).toLowerCase()}.svg`;
  const image = readFileSync(new URL(`assets/logos/${file}`, PACKAGE_ROOT));
  return `data:image/svg+xml;base64,${image.toString('base64')}`;
}

/** Token list of the embedded chain, with a logo below 1 KiB for each token. */
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
