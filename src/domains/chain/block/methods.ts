import { readBlockAccessList } from '../../../ethereum/block-access-list.ts';
import { readOmmer, readTransactionAt } from '../../../ethereum/block-results.ts';
import { WHOLE_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { nullable, quantity } from '../../../ethereum/decoders.ts';
import { headerContradiction } from '../../../ethereum/header-checks.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { byNumberOrHash, immutableAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';

const countMethod = (byNumber: string, byHash: string) => ({
  ...rpcMethod(byNumberOrHash(byNumber, byHash), nullable(quantity), (ref: BlockRef) => [ref]),
  ...immutableAtBlockHash,
});

/** Number of transactions, and of ommers, of a block; null when the node does not have the block. */
export const transactionCountBy = countMethod('eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash');
export const ommerCountBy = countMethod('eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash');

/** A transaction by position, checked against the hash that the block lists; null when out of bounds. */
export const transactionAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
    readTransactionAt,
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
};

/** An ommer by position, as a block, checked against the hash that the block lists; null when out of bounds or pruned by the node. */
export const ommerAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
    (result: unknown, _ref: Data, _index: Quantity, hash: Data | undefined) => readOmmer(result, hash),
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
  contradiction: headerContradiction,
};

const accessListMethod = (name: string) => ({
  ...rpcMethod(
    name,
    (result: unknown, _ref: Data, listHash: Data) => readBlockAccessList(result, listHash),
    (ref: Data, _listHash: Data) => [ref],
  ),
  ...immutableAtBlockHash,
  cost: () => WHOLE_BLOCK_COST,
});

/** The access list of a block by its hash, checked against the hash of the list; null if the node no longer has it. Few nodes have either method. */
export const blockAccessList = accessListMethod('eth_getBlockAccessList');
export const blockAccessListByHash = accessListMethod('eth_getBlockAccessListByBlockHash');
