import { readBlock } from '../ethereum/block-results.ts';
import { WHOLE_BLOCK_COST } from '../ethereum/call-costs.ts';
import { quantity } from '../ethereum/decoders.ts';
import { finishSteps } from '../ethereum/encoding/list-root.ts';
import { blockContradiction } from '../ethereum/header-checks.ts';
import { type Data, isBlockHash, isHeight, type Quantity } from '../ethereum/hex.ts';
import { transactionsRootContradiction } from '../ethereum/root-checks.ts';
import type { BlockRef, RpcBlock } from '../ethereum/rpc-types.ts';
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
