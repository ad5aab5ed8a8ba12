import { readTransaction } from '../../ethereum/block-results.ts';
import { quantity } from '../../ethereum/decoders.ts';
import { finishSteps } from '../../ethereum/encoding/list-root.ts';
import { readFeeHistoryRange } from '../../ethereum/fee-history.ts';
import { receiptContradiction } from '../../ethereum/header-checks.ts';
import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import { readLogs, readReceipt, readReceipts } from '../../ethereum/log-results.ts';
import { type BlockOfReceipts, receiptsRootContradiction } from '../../ethereum/root-checks.ts';
import type { BlockRef, RpcReceipt } from '../../ethereum/rpc-types.ts';
import { immutableAtBlockHash, rpcMethod } from '../../snapshot/state-methods.ts';

/** A transaction by hash; null for an unknown hash. The call is shared with the chain's transaction field. */
export const transactionBy = rpcMethod('eth_getTransactionByHash', readTransaction, (hash: Data) => [hash]);

/** All receipts of a block by hash or height, in order; null when the node does not have the block. Not every node has this method. */
export const receiptsOf = {
  ...rpcMethod('eth_getBlockReceipts', readReceipts, (ref: BlockRef, _hashes?: readonly Data[], _header?: BlockOfReceipts) => [
    ref,
  ]),
  ...immutableAtBlockHash,
  contradiction: (receipts: readonly RpcReceipt[] | null, _ref: BlockRef, _hashes?: readonly Data[], header?: BlockOfReceipts) =>
    finishSteps(receiptsRootContradiction(receipts, header)),
};

/** The receipt of a transaction; null if the node has no receipt. */
export const receiptBy = {
  ...rpcMethod('eth_getTransactionReceipt', readReceipt, (hash: Data) => [hash]),
  contradiction: receiptContradiction,
};

/** The logs of a block by hash with this first topic. An empty list is confirmed while the node may ignore the hash. */
export const logsWithTopic = {
  ...rpcMethod(
    'eth_getLogs',
    (result: unknown, blockHash: Data, topic: Data) => readLogs(result, { blockHash, topics: [topic] }),
    (blockHash: Data, topic: Data) => [{ blockHash, topics: [topic] }],
  ),
  blockHash: (blockHash: Data): Data => blockHash,
  confirmsEmpty: true,
};

/** The nonce of an account's next transaction, as of the latest block. */
export const transactionCountOf = rpcMethod('eth_getTransactionCount', quantity, (address: Data) => [address, 'latest']);

/** Fees of `blockCount` blocks up to a height, and of the block after them. */
export const feeHistoryOf = rpcMethod(
  'eth_feeHistory',
  readFeeHistoryRange,
  (blockCount: number, newest: Quantity, percentiles: readonly number[]) => [quantityOf(blockCount), newest, percentiles],
);
