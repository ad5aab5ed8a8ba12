import { readFeeHistoryRange } from '../../../ethereum/fee-history.ts';
import { type Quantity, quantityOf } from '../../../ethereum/hex.ts';
import { rpcMethod } from '../../../snapshot/state-methods.ts';

/** Cost of the fees of one block: the node reads its header, and with percentiles its transactions and receipts. */
const HEADER_FEES_COST = 0.01;
const TRANSACTION_FEES_COST = 0.5;

/** Fees of `blockCount` blocks up to a height, and of the block after them. */
export const feeHistoryOf = {
  ...rpcMethod('eth_feeHistory', readFeeHistoryRange, (blockCount: number, newest: Quantity, percentiles: readonly number[]) => [
    quantityOf(blockCount),
    newest,
    percentiles,
  ]),
  height: (_blockCount: number, newest: Quantity): Quantity => newest,
  cost: (blockCount: number, _newest: Quantity, percentiles: readonly number[]): number =>
    1 + blockCount * (percentiles.length === 0 ? HEADER_FEES_COST : TRANSACTION_FEES_COST),
};
