import type { WireFilter } from '../../evm/filters.ts';
import { type Data, isBlockHash, type Quantity, quantityOf } from '../../evm/hex.ts';
import type { BlockRef, RpcBlock, RpcFeeHistory, RpcLog, RpcReceipt, RpcSyncState, RpcTransaction } from '../../evm/rpc.ts';
import { boolean, data, label, list, object, orNull, quantity, word } from '../../evm/shapes.ts';
import type { Method } from '../../upstream/calls.ts';

/** The block of a state read as the wire takes it: a height or tag, or a hash in an object (EIP-1898). */
export type StateRef = BlockRef | { readonly blockHash: Data };

const method = <P extends readonly unknown[], R, N extends Method<P, R>['name']>(
  name: N,
  read: (result: unknown) => R,
  params: (...args: P) => readonly unknown[],
) => ({ name, read, params });

const plain = <R>(name: string, read: (result: unknown) => R) => method(name, read, () => []);

/** A method that has a twin for blocks named by hash. */
const twin = (byNumber: string, byHash: string) => (ref: BlockRef) => (isBlockHash(ref) ? byHash : byNumber);

/** Reads that answer a field of `Query` by the same name. Prices are wei per gas. */
export const queryReads = {
  gasPrice: plain('eth_gasPrice', quantity),
  chainID: plain('eth_chainId', quantity),
  syncing: plain('eth_syncing', (result) => (result === false ? null : object<RpcSyncState>()(result))),
};

/** Reads that answer a field of `Network` by the same name. */
export const networkReads = {
  networkID: plain('net_version', label),
  protocolVersion: plain('eth_protocolVersion', label),
  listening: plain('net_listening', boolean),
  blockNumber: plain('eth_blockNumber', quantity),
  accounts: plain('eth_accounts', list(data)),
};

/** Reads that answer a field of `Account` by the same name, with the field's own arguments. Amounts are wei. */
export const accountReads = {
  balance: method('eth_getBalance', quantity, (address: Data, at: StateRef) => [address, at]),
  transactionCount: method('eth_getTransactionCount', quantity, (address: Data, at: StateRef) => [address, at]),
  code: method('eth_getCode', data, (address: Data, at: StateRef) => [address, at]),
  storage: method('eth_getStorageAt', word, (address: Data, at: StateRef, slot: Data) => [address, slot, at]),
};

/** Null when the node knows no such block. */
export const blockBy = method(
  twin('eth_getBlockByNumber', 'eth_getBlockByHash'),
  orNull(object<RpcBlock>()),
  (ref: BlockRef, full: boolean) => [ref, full],
);
/** Null when the node knows no such block. */
export const transactionCountBy = method(
  twin('eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'),
  orNull(quantity),
  (ref: BlockRef) => [ref],
);
/** Null when the node knows no such block. */
export const ommerCountBy = method(
  twin('eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'),
  orNull(quantity),
  (ref: BlockRef) => [ref],
);
/** Null when out of bounds. */
export const transactionAt = method(
  twin('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
  orNull(object<RpcTransaction>()),
  (ref: BlockRef, index: Quantity) => [ref, index],
);
/** In block shape; null when out of bounds, or when the node has lost it. */
export const ommerAt = method(
  twin('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
  orNull(object<RpcBlock>()),
  (ref: BlockRef, index: Quantity) => [ref, index],
);

/** Null for an unknown hash; a pending transaction comes without a block. */
export const transactionBy = method('eth_getTransactionByHash', orNull(object<RpcTransaction>()), (hash: Data) => [hash]);
/** Null while the transaction is pending, and for an unknown hash. */
export const receiptBy = method('eth_getTransactionReceipt', orNull(object<RpcReceipt>()), (hash: Data) => [hash]);
/** All receipts of a block, in order; null when the node knows no such block. Younger than the other methods, and not everywhere. */
export const receiptsOf = method('eth_getBlockReceipts', orNull(list(object<RpcReceipt>())), (ref: BlockRef) => [ref]);

export const logsBy = method('eth_getLogs', list(object<RpcLog>()), (filter: WireFilter) => [filter]);

/** Base fee of one block and of the block after it; only for the most recent block do all nodes tell the latter right. */
export const baseFees = method('eth_feeHistory', object<RpcFeeHistory>(), (number: Quantity) => [quantityOf(1), number, []]);

export const priorityFee = plain('eth_maxPriorityFeePerGas', quantity);

/** The hash of the transaction as the node sees it; zeros when it has none yet. */
export const sendRaw = method('eth_sendRawTransaction', data, (bytes: Data) => [bytes]);
