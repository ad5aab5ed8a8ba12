import { readBlock, readTransaction } from '../ethereum/block-results.ts';
import { WHOLE_BLOCK_COST } from '../ethereum/call-costs.ts';
import { quantity } from '../ethereum/decoders.ts';
import { finishSteps } from '../ethereum/encoding/list-root.ts';
import { readFeeHistoryRange } from '../ethereum/fee-history.ts';
import { blockContradiction, receiptContradiction, receiptsContradiction } from '../ethereum/header-checks.ts';
import { type Data, isBlockHash, isHeight, type Quantity, quantityOf } from '../ethereum/hex.ts';
import { readReceipt, readReceipts } from '../ethereum/log-results.ts';
import { type BlockOfReceipts, receiptsRootContradiction, transactionsRootContradiction } from '../ethereum/root-checks.ts';
import type { BlockRef, RpcBlock, RpcReceipt } from '../ethereum/rpc-types.ts';
import type { BlockPointer, RpcMethod } from '../upstream/rpc/rpc-call.ts';

/** The block parameter of a state read: a height, a tag, or an object with a block hash (EIP-1898). */
export type BlockParameter = BlockRef | { readonly blockHash: Data };

/** An RPC method that reads state of an address at a block. */
export type StateMethod<A extends readonly unknown[], R> = RpcMethod<[address: Data, at: BlockParameter, ...extraArgs: A], R> & {
  /** Set for a method that a node may lack: METHOD_NOT_SUPPORTED then says nothing about the block parameter. */
  readonly isOptional?: true;
};

/** Describes an RPC method. */
export const rpcMethod = <F extends (...args: never[]) => readonly unknown[], R, N extends RpcMethod<Parameters<F>, R>['name']>(
  name: N,
  read: (result: unknown, ...args: Parameters<F>) => R,
  params: F,
) => ({ name, read, params });

/** Describes an RPC method without parameters. */
export const parameterlessMethod = <R>(name: string, read: (result: unknown) => R) => rpcMethod(name, read, () => []);

/** Returns a function that selects the method for a block reference: `byHash` for a hash, `byNumber` for a height or a tag. */
export const byNumberOrHash = (byNumber: string, byHash: string) => (ref: BlockRef) => (isBlockHash(ref) ? byHash : byNumber);

/** A result at a block hash never changes. */
export const immutableAtBlockHash = {
  blockHash: (ref: BlockRef): Data | undefined => (isBlockHash(ref) ? ref : undefined),
  height: (ref: BlockRef): Quantity | undefined => (isHeight(ref) ? ref : undefined),
};
export const immutableStateAtBlockHash = {
  blockHash: (_address: Data, at: BlockParameter): Data | undefined => (typeof at === 'object' ? at.blockHash : undefined),
};

export const latestBlockNumber = parameterlessMethod('eth_blockNumber', quantity);

const blockParams = (ref: BlockRef, full: boolean) => [ref, full];

/** The block of a reference; null when the node does not know it. */
export const blockBy = {
  ...rpcMethod(byNumberOrHash('eth_getBlockByNumber', 'eth_getBlockByHash'), readBlock, blockParams),
  ...immutableAtBlockHash,
  contradiction: blockContradiction,
  inclusionBlock: (block: RpcBlock | null): BlockPointer | undefined =>
    block?.hash && block.number ? { number: block.number, hash: block.hash } : undefined,
  cost: (_ref: BlockRef, full: boolean) => (full ? WHOLE_BLOCK_COST : 1),
};

/** A block with whole transactions, which must have its transactions root. */
export const provenBlockBy = {
  ...blockBy,
  contradiction: (block: RpcBlock | null, ref: BlockRef) =>
    blockContradiction(block, ref) ?? (block ? finishSteps(transactionsRootContradiction(block)) : undefined),
};

/** The block that contains a transaction, a receipt or a log; null or absent while the object is pending. */
export interface BlockLocation {
  readonly blockNumber?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
  /** Time of the block; many nodes omit it, or return 0. */
  readonly blockTimestamp?: Quantity | null | undefined;
}

const inclusionBlockOf = (result: BlockLocation | null): BlockPointer | undefined =>
  result?.blockNumber && result.blockHash ? { number: result.blockNumber, hash: result.blockHash } : undefined;

/** A transaction by hash; null for an unknown hash. A pending transaction has no block. */
export const transactionBy = {
  ...rpcMethod('eth_getTransactionByHash', readTransaction, (hash: Data) => [hash]),
  inclusionBlock: inclusionBlockOf,
};

/** A receipt by transaction hash; null while the transaction is pending, and for an unknown hash. */
export const receiptBy = {
  ...rpcMethod('eth_getTransactionReceipt', readReceipt, (hash: Data) => [hash]),
  contradiction: receiptContradiction,
  inclusionBlock: inclusionBlockOf,
};

/**
 * All receipts of a block, in order, checked against the transaction hashes and the bloom of the header if these are
 * given; null when the node does not have the block. Not every node has this method.
 */
export const receiptsOf = {
  ...rpcMethod('eth_getBlockReceipts', readReceipts, (ref: BlockRef, _hashes?: readonly Data[], _header?: BlockOfReceipts) => [
    ref,
  ]),
  ...immutableAtBlockHash,
  contradiction: (receipts: readonly RpcReceipt[] | null, _ref: BlockRef, _hashes?: readonly Data[], header?: BlockOfReceipts) =>
    receiptsContradiction(receipts, header),
  cost: () => WHOLE_BLOCK_COST,
};

/** All receipts of a block, which must have the receipts root of the header. */
export const provenReceiptsOf = {
  ...receiptsOf,
  contradiction: (receipts: readonly RpcReceipt[] | null, _ref: BlockRef, _hashes?: readonly Data[], header?: BlockOfReceipts) =>
    finishSteps(receiptsRootContradiction(receipts, header)),
};

/** Cost of the fees of one block: the node reads its header, and with percentiles its transactions and receipts. */
const HEADER_FEES_COST = 0.01;
const TRANSACTION_FEES_COST = 0.5;

const feeHistoryParams = (blockCount: number, newest: Quantity, percentiles: readonly number[]) =>
  [quantityOf(blockCount), newest, percentiles] as const;

/** Fees of `blockCount` blocks up to a height, and of the block after them. */
export const feeHistoryOf = {
  ...rpcMethod('eth_feeHistory', readFeeHistoryRange, feeHistoryParams),
  height: (_blockCount: number, newest: Quantity): Quantity => newest,
  cost: (blockCount: number, _newest: Quantity, percentiles: readonly number[]): number =>
    1 + blockCount * (percentiles.length === 0 ? HEADER_FEES_COST : TRANSACTION_FEES_COST),
};
