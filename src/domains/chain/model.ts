import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { AccountStateRef } from '../../snapshot/state-reader.ts';
import type { Settled } from '../../upstream/in-flight-requests.ts';

/**
 * What stands behind the GraphQL types: the node's own objects, or the part of one that is known without asking.
 * A part goes out only where the operation selects nothing beyond it (see plan.ts).
 */

/** A block as the node sent it, or counts that were asked without it. */
export type ChainBlock = RpcBlock & {
  readonly transactionCount?: Quantity | null | undefined;
  readonly ommerCount?: Quantity | null | undefined;
};

/** What is known of a block, to stand for it where the plan has made sure that no more is selected. */
export const partialBlock = (part: Partial<ChainBlock>): ChainBlock => part as ChainBlock;

/** A transaction, or its hash and what else is known. */
export type PartialTransaction = Partial<RpcTransaction> & Pick<RpcTransaction, 'hash'>;

/** Whether a transaction came whole; its position alone never has a nonce. */
export const isFullTransaction = ({ nonce }: PartialTransaction): boolean => nonce !== undefined;

/** An account at a block. */
export interface AccountAtBlock extends AccountStateRef {
  /** What was read ahead, because it is selected; a failure waits for its field to report it. */
  readonly state?: Readonly<Record<StateField, Settled<string> | undefined>>;
}

/** Fields of an account that are read from the node and take no argument. */
export type StateField = 'balance' | 'transactionCount' | 'code';

/** What a receipt tells of its transaction. */
export const transactionFromReceipt = ({
  transactionHash,
  blockHash,
  blockNumber,
  transactionIndex,
  from,
  to,
}: RpcReceipt): PartialTransaction => ({
  hash: transactionHash,
  blockHash,
  blockNumber,
  transactionIndex,
  from,
  to: to ?? null,
});

/** What is known of the block that something lies in; null while it is pending. */
export const containingBlock = ({ blockNumber, blockHash }: BlockLocation): ChainBlock | null =>
  blockNumber && blockHash ? partialBlock({ number: blockNumber, hash: blockHash }) : null;

/** Where a transaction, a receipt or a log lies. */
export interface BlockLocation {
  readonly blockNumber?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
}
