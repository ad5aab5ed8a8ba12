import type { AbiFunction } from '../../ethereum/abi/layouts.ts';
import type { RpcCallObject } from '../../ethereum/call-object.ts';
import { invalidShape, listOrNull } from '../../ethereum/decoders.ts';
import { type Data, isBlockHash, type Quantity, quantityOf, toData, toQuantity } from '../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { RpcAccessListResult, RpcNativeTransfer, RpcSimulatedCall, RpcSimulatedLog } from '../../ethereum/simulation.ts';
import type { TokenTransfer } from '../../ethereum/tokens.ts';
import type { PageInfo, SubmitTransactionPayload } from '../../generated/chain.ts';
import type { Page, PageEdge } from '../../graphql/connections.ts';
import type { BlockLocation } from '../../snapshot/state-methods.ts';
import type { AccountStateRef } from '../../snapshot/state-reader.ts';
import type { Settled } from '../../upstream/rpc/rpc-call.ts';

export type { BlockLocation };

/**
 * The parent values of the GraphQL types: the node's own objects, or parts of them that are known without a request. A
 * resolver returns a part only if the operation selects no other field (see plan.ts).
 */

/** A block as the node returned it, or its counts alone. */
export type ChainBlock = RpcBlock & {
  readonly transactionCount?: Quantity | null | undefined;
  readonly ommerCount?: Quantity | null | undefined;
};

/** Types the known fields of a block as a block. Use it only if the plan guarantees that no other field is selected. */
export const partialBlock = (known: Partial<ChainBlock>): ChainBlock => known as ChainBlock;

/** The length of a list of the node's block; null if the node omits the list. */
export const lengthOrNull = (value: unknown): Quantity | null => {
  const list = listOrNull(value);
  return list && quantityOf(list.length);
};

/** A transaction, or its hash and other known fields. */
export type PartialTransaction = Partial<RpcTransaction> & Pick<RpcTransaction, 'hash'>;

/** The hash of a transaction of a block. */
export const transactionHashOf = (transaction: string | RpcTransaction): string =>
  typeof transaction === 'string' ? transaction : transaction.hash;

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
export const transactionFromReceipt = (receipt: RpcReceipt): PartialTransaction => ({
  hash: receipt.transactionHash,
  blockHash: receipt.blockHash,
  blockNumber: receipt.blockNumber,
  transactionIndex: receipt.transactionIndex,
  from: receipt.from,
  to: receipt.to ?? null,
});

/** Returns a resolver of the fields of a rollup: the node's object itself if it has one of the properties, else null. */
export const rollupPart =
  <T extends object>(...names: readonly string[]) =>
  (object: object): T | null =>
    names.some((name) => Reflect.get(object, name) !== undefined) ? (object as T) : null;

/** An object of a simulation, with the block on whose state the simulation was executed. */
type InSimulation<T> = T & { readonly base: BlockRef };

/** A simulated call, with its request. */
export type CallInSimulation = InSimulation<RpcSimulatedCall> & Pick<CallAtBlock, 'call'>;
export type BlockInSimulation = InSimulation<RpcBlock> & { readonly calls: readonly CallInSimulation[] };
export type TransactionInSimulation = InSimulation<PartialTransaction>;
export type LogInSimulation = InSimulation<RpcSimulatedLog>;
export type TransferInSimulation = InSimulation<RpcNativeTransfer>;

/** The access list of a call, with the call and the block at which it was executed. */
export type AccessListAtBlock = RpcAccessListResult & CallAtBlock;

/** A transaction that a client has submitted. */
export interface SubmittedTransaction extends Omit<SubmitTransactionPayload, 'receipt' | 'transaction'> {
  /** The transaction in its block, if the server has waited until it was mined. */
  readonly mined?: RpcTransaction | null;
}

/** The number and hash of the block that contains an object; null while the object is pending. */
export const containingBlock = ({ blockNumber, blockHash }: BlockLocation): ChainBlock | null =>
  blockNumber && blockHash ? partialBlock({ number: blockNumber, hash: blockHash }) : null;

/** The block on whose state a call is executed: its hash, a height or a tag. */
export type CallBlock = Omit<AccountStateRef, 'address'>;

/** A message call and the block at which it is executed. */
export interface CallAtBlock {
  readonly call: RpcCallObject;
  readonly block: CallBlock;
}

/** The result of an executed message call. */
export interface ExecutedCall extends CallAtBlock {
  readonly data: Data;
  readonly status: Quantity;
}

/** The result of a typed read of a contract. */
export interface ExecutedRead extends ExecutedCall {
  readonly called: AbiFunction;
}

export type BlockPageEdge = PageEdge<ChainBlock>;

/** A page of blocks. Its parts are read when they are selected: the executor calls the functions. */
export interface BlockPage {
  /** Number of blocks of the whole range. */
  readonly totalCount: () => number;
  readonly nodes: () => readonly ChainBlock[];
  readonly edges: () => readonly BlockPageEdge[];
  readonly pageInfo: () => Promise<PageInfo>;
}

export type TransactionPageEdge = PageEdge<PartialTransaction>;
export type TransactionPage = Page<PartialTransaction>;

/** A page of the transactions of one block. */
export interface BlockTransactionsPage extends TransactionPage {
  readonly totalCount: number;
}

export type LogEdgeModel = PageEdge<RpcLog>;
export interface LogConnectionModel extends Page<RpcLog> {
  /** The last block that was searched completely. */
  readonly searchedTo: number | null;
}

export type TokenTransferEdgeModel = PageEdge<TokenTransfer>;

/** A page of transfers of a token. */
export interface TokenTransferConnectionModel extends Page<TokenTransfer> {
  /** The transfers of the page, without the data that their logs need. */
  readonly transfers: readonly TokenTransfer[];
}

/** A token by its contract address, which the tokens domain resolves. */
export interface TokenKey {
  readonly address: Data;
}

/** A duel by its id and the heights of its events, which the wizards domain resolves. */
export interface DuelKey {
  readonly id: string;
  readonly startBlockNumber: Quantity;
  readonly endBlockNumber?: Quantity | null | undefined;
}

/** Returns bytes of a node in lower case, so that equal objects have equal ids. Throws UPSTREAM_BAD_RESPONSE for anything else. */
function canonicalData(value: unknown, length: number): Data {
  const data = toData(value, length);
  if (data === undefined) throw invalidShape(length === 32 ? 'a hash' : 'an address');
  return data;
}

/** The id of a block or of a transaction: its hash. */
export const hashId = (hash: unknown): string => canonicalData(hash, 32);

/** The id of a log: the hash of its block and its index; while pending, the hash of its transaction and its index. */
export function logId({ blockHash, transactionHash, logIndex }: RpcLog): string {
  const index = toQuantity(logIndex, 64);
  if (index === undefined) throw invalidShape('the index of a log');
  return blockHash ? `${hashId(blockHash)}-${index}` : `pending-${hashId(transactionHash)}-${index}`;
}

/** The id of an account with its state at a block, which is a hash, a height, or `pending-` and the hash of the head. */
export const accountId = (address: Data, block: BlockRef): string =>
  `${canonicalData(address, 20)}-${isBlockHash(block) ? hashId(block) : block}`;
