import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import type { BlockRef } from '../../ethereum/rpc-types.ts';
import type { Account, Token } from '../../generated/tokens.ts';
import { decodeAtKey } from '../../snapshot/block-availability.ts';

/**
 * Key of an `Account` that another domain resolves: its address and the block of its state (a block hash, a height as 0x-hex or a block tag; null is the
 * operation's block).
 */
export type TokensAccountKey = Pick<Account, '_at' | 'address'>;

/** A token by its contract address. Its metadata is loaded when selected. */
export type TokenKey = Pick<Token, 'address'>;

/** An amount in the smallest unit of a token. */
export interface RawTokenAmount {
  readonly raw: Quantity;
  readonly contract: Data;
}

/** The balance of an account in one token. */
export interface RawTokenBalance {
  readonly contract: Data;
  readonly owner: TokensAccountKey;
  /** The balance as 32 bytes; null if the contract returns none. */
  readonly word: Data | null;
}

/** The block at which the state of an account is read. */
export const stateBlockOf = ({ _at }: TokensAccountKey): BlockRef => decodeAtKey(_at);

/** A 32-byte result as an amount of the contract's token; null for null. */
export const toRawTokenAmount = (contract: Data, word: Data | null): RawTokenAmount | null =>
  word === null ? null : { contract, raw: quantityOf(BigInt(word)) };
