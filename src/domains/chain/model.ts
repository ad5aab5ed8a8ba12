import type { RpcCallObject } from '../../ethereum/call-object.ts';
import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { RpcAccessListResult, RpcNativeTransfer, RpcSimulatedCall, RpcSimulatedLog } from '../../ethereum/simulation.ts';
import type { TokenTransfer } from '../../ethereum/tokens.ts';
import type { PageInfo } from '../../generated/chain.ts';
import type { RelayConnection, RelayEdge } from '../../graphql/connections.ts';
import type { AccountStateRef } from '../../snapshot/state-reader.ts';
import type { Settled } from '../../upstream/rpc/rpc-call.ts';

/** A block of a page. */
export interface BlockPageEdge {
  readonly cursor: string;
  readonly node: ChainBlock;
}

/** A page of blocks. Its parts are read when they are selected: the executor calls the functions. */
export interface BlockPage {
  readonly nodes: () => readonly ChainBlock[];
  readonly edges: () => readonly BlockPageEdge[];
  readonly pageInfo: () => Promise<PageInfo>;
}

/** A transaction of a page. */
export interface TransactionPageEdge {
  readonly cursor: string;
  readonly node: PartialTransaction;
}

/** A page of transactions. */
export interface TransactionPage {
  readonly nodes: readonly PartialTransaction[];
  readonly edges: readonly TransactionPageEdge[];
  readonly pageInfo: PageInfo;
}

/** A page of the transactions of one block. */
export interface BlockTransactionsPage extends TransactionPage {
  readonly totalCount: number;
}

/**
 * The parent values of the GraphQL types: the node's own objects, or parts of them that are known without a request. A resolver returns a
 * part only where the operation selects no other field (see plan.ts).
 */

/** A block as the node returned it, or its counts alone. */
export type ChainBlock = RpcBlock & {
  readonly transactionCount?: Quantity | null | undefined;
  readonly ommerCount?: Quantity | null | undefined;
};

/** Types the known fields of a block as a block, where the plan guarantees that no other field is selected. */
export const partialBlock = (known: Partial<ChainBlock>): ChainBlock => known as ChainBlock;

/** A transaction, or its hash and other known fields. */
export type PartialTransaction = Partial<RpcTransaction> & Pick<RpcTransaction, 'hash'>;

/** Whether all fields of a transaction are known. A transaction known by its position has no nonce. */
export const isFullTransaction = ({ nonce }: PartialTransaction): boolean => nonce !== undefined;

/** An account at a block. */
export interface AccountAtBlock extends AccountStateRef {
  /** State read in advance because it is selected. An error is reported by its field. */
  readonly state?: Readonly<Record<StateField, Settled<string> | undefined>>;
}

/** Fields of an account that are read from the node and take no argument. */
export type StateField = 'balance' | 'transactionCount' | 'code';

/** The fields of a transaction that its receipt contains. */
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

/** A simulated call, its logs and transfers, each with the block on whose state the simulation was executed. */
export type CallInSimulation = SimulatedCallTo & { readonly base: BlockRef };
export type LogInSimulation = RpcSimulatedLog & { readonly base: BlockRef };
export type TransferInSimulation = RpcNativeTransfer & { readonly base: BlockRef };

/** The access list of a call, with the call and the block at which it was executed. */
export type AccessListAtBlock = RpcAccessListResult & CallAtBlock;

/** A transaction that a client has submitted. */
export interface SubmittedTransaction {
  readonly hash: Data;
  /** Whether the node had the transaction already. */
  readonly alreadyKnown: boolean;
  /** The transaction in its block, where the server has waited until it was mined. */
  readonly mined?: RpcTransaction | null;
}

/** The number and hash of the block that contains an object; null while that is pending. */
export const containingBlock = ({ blockNumber, blockHash }: BlockLocation): ChainBlock | null =>
  blockNumber && blockHash ? partialBlock({ number: blockNumber, hash: blockHash }) : null;

/** The block that contains a transaction, a receipt or a log; null or absent while that is pending. */
export interface BlockLocation {
  readonly blockNumber?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
}

/** The block at whose state a call is executed: its hash, a height or a tag. */
export type CallBlock = Omit<AccountStateRef, 'address'>;

/** A message call and the block at which it is executed. */
export interface CallAtBlock {
  readonly call: RpcCallObject;
  readonly block: CallBlock;
}

/** The result of a simulated call, and the called contract; null for a contract creation. */
export interface SimulatedCallTo extends RpcSimulatedCall {
  readonly target: Data | null;
}

/** The result of an executed message call. */
export interface ExecutedCall extends CallAtBlock {
  readonly data: Data;
  readonly status: Quantity;
}

/** A page of logs; lists whose logs need further data are windowed. */
export type LogConnectionModel = Pick<RelayConnection<RpcLog>, 'edges' | 'nodes' | 'pageInfo'>;

/** A token by its contract address, which the tokens domain resolves. */
export interface TokenKey {
  readonly address: Data;
}

/** A page of transfers of a token; lists whose logs need further data are windowed. */
export interface TokenTransferConnectionModel {
  readonly edges: readonly TokenTransferEdgeModel[];
  readonly nodes: readonly TokenTransfer[];
  readonly pageInfo: RelayConnection<TokenTransfer>['pageInfo'];
  /** The transfers of the page, without what their logs need. */
  readonly transfers: readonly TokenTransfer[];
}

/** A transfer of a page with its cursor. */
export interface TokenTransferEdgeModel {
  readonly cursor: string;
  readonly node: TokenTransfer;
}

/** A log of a page with its cursor. */
export type LogEdgeModel = RelayEdge<RpcLog>;
