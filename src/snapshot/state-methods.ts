import { readBlock } from '../ethereum/block-results.ts';
import { quantity } from '../ethereum/decoders.ts';
import { type Data, isBlockHash } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import { WHOLE_BLOCK } from '../graphql/pipeline/cost/field-cost.ts';
import type { Method } from '../upstream/rpc/operation-calls.ts';

/** The block of a state read as the wire takes it: a height or tag, or a hash in an object (EIP-1898). */
export type StateRef = BlockRef | { readonly blockHash: Data };

/** A method of a node that reads state at a block. */
export type StateMethod<A extends readonly unknown[], R> = Method<[of: Data, at: StateRef, ...further: A], R>;

/** Describes a method of a node. */
export const method = <F extends (...args: never[]) => readonly unknown[], R, N extends Method<Parameters<F>, R>['name']>(
  name: N,
  read: (result: unknown, ...args: Parameters<F>) => R,
  params: F,
) => ({ name, read, params });

/** A method without parameters. */
export const plain = <R>(name: string, read: (result: unknown) => R) => method(name, read, () => []);

/** A method that has a twin for blocks named by hash. */
export const twin = (byNumber: string, byHash: string) => (ref: BlockRef) => (isBlockHash(ref) ? byHash : byNumber);

/** What is asked at a block hash is a fact. */
export const atHash = { isFact: (ref: BlockRef): boolean => isBlockHash(ref) };
export const stateAtHash = { isFact: (_of: Data, at: StateRef): boolean => typeof at === 'object' };

export const blockNumber = plain('eth_blockNumber', quantity);

/** Null when the node knows no such block. */
export const blockBy = {
  ...method(twin('eth_getBlockByNumber', 'eth_getBlockByHash'), readBlock, (ref: BlockRef, full: boolean) => [ref, full]),
  ...atHash,
  cost: (_ref: BlockRef, full: boolean) => (full ? WHOLE_BLOCK : 1),
};
