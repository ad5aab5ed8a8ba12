import { encodeBytes32String, getCreateAddress } from 'ethers';
import { contractCreation, type TransactionRequest } from './transaction-requests.ts';

/** `erc20` has standard metadata, `erc20-bytes32` name and symbol as bytes32, `erc20-bare` has no metadata. */
export type TokenKind = 'erc20' | 'erc20-bytes32' | 'erc20-bare';

/** A token contract of the embedded chain. */
export interface DevnetToken {
  /** The name of the contract; the bare token's contract has no name. */
  readonly name: string;
  readonly kind: TokenKind;
  /** Lower case. */
  readonly address: string;
  /** Null if the contract does not have it. */
  readonly symbol: string | null;
  /** Null if the contract does not have it. */
  readonly decimals: number | null;
}

/** Supply in whole tokens, initially owned by the creator. */
const SUPPLY = 100_000_000n;

const TOKENS = [
  { name: 'Mana', kind: 'erc20', symbol: 'MANA', decimals: 18 },
  { name: 'Guild Crown', kind: 'erc20', symbol: 'CRWN', decimals: 6 },
  { name: 'Elder Rune', kind: 'erc20-bytes32', symbol: 'RUNE', decimals: 18 },
  { name: 'Nameless', kind: 'erc20-bare', symbol: null, decimals: null },
] as const;

/** An amount in the token's smallest unit, from thousandths of a whole token. The bare token is treated as having 18 decimals. */
export const thousandths = ({ decimals }: Pick<DevnetToken, 'decimals'>, count: number) =>
  BigInt(count) * 10n ** BigInt((decimals ?? 18) - 3);

/** The four tokens and their creations, each the first transaction of another account, so that addresses never change. */
export function tokenDeployments(creators: readonly string[]): { token: DevnetToken; creation: TransactionRequest }[] {
  return TOKENS.map((metadata, index) => {
    const from = creators[index]!;
    return {
      token: { ...metadata, address: getCreateAddress({ from, nonce: 0 }).toLowerCase() },
      creation: tokenCreation(metadata, from),
    };
  });
}

function tokenCreation(metadata: (typeof TOKENS)[number], from: string): TransactionRequest {
  const supply = SUPPLY * thousandths(metadata, 1000);
  switch (metadata.kind) {
    case 'erc20':
      return contractCreation(from, 'Token', metadata.name, metadata.symbol, metadata.decimals, supply);
    case 'erc20-bytes32':
      return contractCreation(
        from,
        'Bytes32Token',
        encodeBytes32String(metadata.name),
        encodeBytes32String(metadata.symbol),
        supply,
      );
    case 'erc20-bare':
      return contractCreation(from, 'BareToken', supply);
  }
}
