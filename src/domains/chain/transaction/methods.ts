import { readBlock, readOmmer, readPendingTransaction } from '../../../ethereum/block-results.ts';
import { BLOCK_LOGS_COST, RECEIPT_IN_BLOCK_COST, WHOLE_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { data, invalidShape, nullable, quantity } from '../../../ethereum/decoders.ts';
import { keccakOfDigits } from '../../../ethereum/encoding/keccak.ts';
import { type Data, type Quantity, sameData, toData } from '../../../ethereum/hex.ts';
import type { RpcLogFilter } from '../../../ethereum/log-filters.ts';
import { readLogs, readReceipts } from '../../../ethereum/log-results.ts';
import type { RpcPendingBlock } from '../../../ethereum/rpc-types.ts';
import { receiptBy, rpcMethod } from '../../../snapshot/state-methods.ts';

function readRawTransaction(result: unknown, hash: Data): Data | null {
  const raw = toData(result);
  if (result === null || result === undefined || raw === '0x') return null;
  if (raw === undefined || !sameData(keccakOfDigits(raw.slice(2)), hash))
    throw invalidShape('the encoding of the requested transaction');
  return raw;
}

/**
 * An encoded transaction by its hash, which is the hash of the encoding; null if the node does not know the
 * transaction. Not every node has this method.
 */
export const rawTransactionBy = rpcMethod('eth_getRawTransactionByHash', readRawTransaction, (hash: Data) => [hash]);

/** `receiptBy` for each transaction of one block, on a node without `eth_getBlockReceipts`. */
export const receiptInBlock = { ...receiptBy, cost: () => RECEIPT_IN_BLOCK_COST };

/** Submits a signed transaction. Returns its hash as computed by the node; zeros when the node does not know it yet. */
export const sendRaw = rpcMethod('eth_sendRawTransaction', data, (bytes: Data) => [bytes]);

/** The tag of the pending block and its state. Results at it are never cached: the methods name no block of a result. */
export const PENDING = 'pending';

const readPendingBlock = (result: unknown, full: boolean) => readBlock(result, PENDING, full) as RpcPendingBlock | null;

/** The pending block; null when the node has none. */
export const pendingBlockBy = {
  ...rpcMethod('eth_getBlockByNumber', readPendingBlock, (full: boolean) => [PENDING, full]),
  cost: (full: boolean) => (full ? WHOLE_BLOCK_COST : 1),
};

const readAtPending = <R>(name: string, read: (result: unknown) => R) => rpcMethod(name, read, () => [PENDING]);

/** Number of transactions of the pending block; null when the node has none. */
export const pendingTransactionCount = readAtPending('eth_getBlockTransactionCountByNumber', nullable(quantity));

/** Number of ommers of the pending block; null when the node has none. */
export const pendingOmmerCount = readAtPending('eth_getUncleCountByBlockNumber', nullable(quantity));

const pendingPosition = (index: Quantity) => [PENDING, index];
const readPendingOmmer = (result: unknown) => readOmmer(result, undefined);

/** A transaction of the pending block; null when out of bounds. */
export const pendingTransactionAt = rpcMethod('eth_getTransactionByBlockNumberAndIndex', readPendingTransaction, pendingPosition);

/** An ommer of the pending block; null when out of bounds. */
export const pendingOmmerAt = rpcMethod('eth_getUncleByBlockNumberAndIndex', readPendingOmmer, pendingPosition);

/** Logs of the pending block that match a filter. */
export const pendingLogsBy = {
  ...rpcMethod('eth_getLogs', readLogs, (filter: RpcLogFilter) => [filter]),
  cost: () => BLOCK_LOGS_COST,
};

/** Receipts of the pending block, for nodes that do not search its logs. */
export const pendingReceipts = {
  ...readAtPending('eth_getBlockReceipts', (result) => readReceipts(result, PENDING)),
  cost: () => WHOLE_BLOCK_COST,
};
