import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import type { BlockRef } from '../../ethereum/rpc-types.ts';
import { decodeAtKey } from '../../snapshot/block-key.ts';

/** An account as it crosses a border: its address, and the block of its state. */
export interface TokensAccountKey {
  readonly address: Data;
  /** Null: the operation's block. Else a hash, a 0x-height or a tag. */
  readonly _at?: string | null;
}

/** A token by its contract; what is known of it is loaded where it is selected. */
export interface TokenKey {
  readonly address: Data;
}

/** An amount in a token's smallest unit. */
export interface RawTokenAmount {
  readonly raw: Quantity;
  readonly contract: Data;
}

/** What an account has of a token. */
export interface RawTokenBalance {
  readonly contract: Data;
  readonly owner: TokensAccountKey;
  /** 32 bytes; null when the contract does not tell. */
  readonly word: Data | null;
}

/** The block of an account's state, as state is read at it. */
export const stateBlockOf = ({ _at }: TokensAccountKey): BlockRef => decodeAtKey(_at);

/** A 32-byte result as an amount of the contract's token; null for null. */
export const toRawTokenAmount = (contract: Data, word: Data | null): RawTokenAmount | null =>
  word === null ? null : { contract, raw: quantityOf(BigInt(word)) };
