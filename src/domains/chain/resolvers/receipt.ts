import { listIn } from '../../../ethereum/decoders.ts';
import { matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import type { ReceiptResolvers } from '../../../generated/chain.ts';
import { checkTopics } from '../loaders/logs.ts';
import { transactionOf } from '../model.ts';
import { onlyTransactionHash, planByReceipt, wantsTransaction } from '../plan.ts';
import { accountAt, blockLink } from './links.ts';

/** Whether a transaction succeeded, by the status of its receipt. Null without a receipt, and before Byzantium (a `root` and no status). */
export const succeeded = (receipt: Pick<RpcReceipt, 'status'> | null): boolean | null =>
  receipt?.status ? receipt.status === '0x1' : null;

export const Receipt: ReceiptResolvers = {
  __resolveReference: (reference, { chain }, info) =>
    onlyTransactionHash(info) ? reference : chain.findReceipt(reference.transactionHash, wantsTransaction(info)),
  transaction: (receipt, _args, { chain }, info) => chain.completeTransaction(transactionOf(receipt), planByReceipt(info)),
  block: (receipt, _args, context, info) => blockLink(receipt, context, info),
  from: ({ from }, { block }, context, info) => accountAt(from, block, context, info)!,
  to: ({ to }, { block }, context, info) => accountAt(to, block, context, info),
  contract: ({ contractAddress }, { block }, context, info) => accountAt(contractAddress, block, context, info),
  logs: ({ logs }, { filter }) => {
    if (!filter) return logs;
    checkTopics(filter);
    // A receipt without a list of logs is malformed, and null says so on this field.
    return listIn<RpcLog>(logs)?.filter((log) => matchesFilter(log, filter)) as RpcLog[];
  },
  succeeded,
};
