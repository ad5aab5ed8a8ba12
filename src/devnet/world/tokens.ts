import { encodeBytes32String, getCreateAddress } from 'ethers';
import { contractCreation, type TransactionRequest } from './transaction-requests.ts';

/** `erc20` tells its metadata as the standard says, `erc20-bytes32` tells name and symbol as bytes32, `erc20-bare` tells nothing. */
export type TokenKind = 'erc20' | 'erc20-bytes32' | 'erc20-bare';

/** A token contract of the embedded chain. */
export interface DevnetToken {
  /** What the contract answers, except for the bare token, whose name is ours alone. */
  readonly name: string;
  readonly kind: TokenKind;
  /** Lower case. */
  readonly address: string;
  /** Null when the contract does not tell. */
  readonly symbol: string | null;
  /** Null when the contract does not tell. */
  readonly decimals: number | null;
}

/** Whole tokens of each kind, all of them the creator's at first. */
const SUPPLY = 100_000_000n;

const TOKENS = [
  { name: 'Mana', kind: 'erc20', symbol: 'MANA', decimals: 18 },
  { name: 'Guild Crown', kind: 'erc20', symbol: 'CRWN', decimals: 6 },
  { name: 'Elder Rune', kind: 'erc20-bytes32', symbol: 'RUNE', decimals: 18 },
  { name: 'Nameless', kind: 'erc20-bare', symbol: null, decimals: null },
] as const;

/** An amount in the token's smallest unit, from thousandths of a whole token. The bare token is counted with 18 decimals. */
export const thousandths = ({ decimals }: Pick<DevnetToken, 'decimals'>, count: number) =>
  BigInt(count) * 10n ** BigInt((decimals ?? 18) - 3);

/** The four tokens and what creates them: each as the first transaction of another account, so the addresses never change. */
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
