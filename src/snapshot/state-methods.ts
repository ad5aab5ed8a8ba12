import { readBlock } from '../ethereum/block-results.ts';
import { quantity } from '../ethereum/decoders.ts';
import { type Data, isBlockHash } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import { WHOLE_BLOCK_COST } from '../graphql/pipeline/cost/field-cost.ts';
import type { RpcMethod } from '../upstream/rpc/rpc-method.ts';

/** The block of a state read as the wire takes it: a height or tag, or a hash in an object (EIP-1898). */
export type BlockParameter = BlockRef | { readonly blockHash: Data };

/** A method of a node that reads state at a block. */
export type StateMethod<A extends readonly unknown[], R> = RpcMethod<[of: Data, at: BlockParameter, ...further: A], R>;

/** Describes a method of a node. */
export const rpcMethod = <F extends (...args: never[]) => readonly unknown[], R, N extends RpcMethod<Parameters<F>, R>['name']>(
  name: N,
  read: (result: unknown, ...args: Parameters<F>) => R,
  params: F,
) => ({ name, read, params });

/** A method without parameters. */
export const parameterlessMethod = <R>(name: string, read: (result: unknown) => R) => rpcMethod(name, read, () => []);

/** A method that has a twin for blocks named by hash. */
export const byNumberOrHash = (byNumber: string, byHash: string) => (ref: BlockRef) => (isBlockHash(ref) ? byHash : byNumber);

/** What is asked at a block hash is a fact. */
export const immutableAtBlockHash = { isImmutable: (ref: BlockRef): boolean => isBlockHash(ref) };
export const immutableStateAtBlockHash = { isImmutable: (_of: Data, at: BlockParameter): boolean => typeof at === 'object' };

export const latestBlockNumber = parameterlessMethod('eth_blockNumber', quantity);

/** Null when the node knows no such block. */
export const blockBy = {
  ...rpcMethod(byNumberOrHash('eth_getBlockByNumber', 'eth_getBlockByHash'), readBlock, (ref: BlockRef, full: boolean) => [
    ref,
    full,
  ]),
  ...immutableAtBlockHash,
  cost: (_ref: BlockRef, full: boolean) => (full ? WHOLE_BLOCK_COST : 1),
};
