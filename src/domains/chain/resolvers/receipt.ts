import { listOrNull } from '../../../ethereum/decoders.ts';
import { matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import type { ReceiptResolvers } from '../../../generated/chain.ts';
import { checkTopics } from '../log-filter-checks.ts';
import { transactionFromReceipt } from '../model.ts';
import { needsTransaction, selectsOnlyTransactionHash, transactionPlanByReceipt } from '../plan.ts';
import { resolveAccountAt, resolveContainingBlock } from './links.ts';

/** Whether a transaction succeeded. Null without a receipt, and before Byzantium, when receipts had a `root` and no status. */
export const succeeded = (receipt: Pick<RpcReceipt, 'status'> | null): boolean | null =>
  receipt?.status ? receipt.status === '0x1' : null;

export const chainReceiptResolvers: ReceiptResolvers = {
  __resolveReference: (reference, { chain }, info) =>
    selectsOnlyTransactionHash(info)
      ? reference
      : chain.transactions.findReceipt(reference.transactionHash, needsTransaction(info)),
  transaction: (receipt, _args, { chain }, info) =>
    chain.transactions.completeTransaction(transactionFromReceipt(receipt), transactionPlanByReceipt(info)),
  block: (receipt, _args, context, info) => resolveContainingBlock(receipt, context, info),
  from: ({ from }, { block }, context, info) => resolveAccountAt(from, block, context, info)!,
  to: ({ to }, { block }, context, info) => resolveAccountAt(to, block, context, info),
  contract: ({ contractAddress }, { block }, context, info) => resolveAccountAt(contractAddress, block, context, info),
  logs: ({ logs }, { filter }) => {
    if (!filter) return logs;
    checkTopics(filter);
    // Null for a malformed receipt without a list of logs: this non-null field then reports the error.
    return listOrNull<RpcLog>(logs)?.filter((log) => matchesFilter(log, filter)) as RpcLog[];
  },
  succeeded,
};
