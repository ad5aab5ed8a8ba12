import { matchesFilter } from '../../../evm/filters.ts';
import type { ReceiptResolvers } from '../../../generated/chain.ts';
import { checkTopics } from '../loaders/logs.ts';
import { transactionOf } from '../model.ts';
import { KNOWN_BY_RECEIPT, transactionPlan } from '../plan.ts';
import { accountAt, blockLink } from './links.ts';

export const Receipt: ReceiptResolvers = {
  transaction: (receipt, _args, { chain }, info) =>
    chain.completeTransaction(transactionOf(receipt), transactionPlan(info, KNOWN_BY_RECEIPT)),
  block: (receipt, _args, context, info) => blockLink(receipt, context, info),
  from: ({ from }, { block }) => accountAt(from, block)!,
  to: ({ to }, { block }) => accountAt(to, block),
  contract: ({ contractAddress }, { block }) => accountAt(contractAddress, block),
  logs: ({ logs }, { filter }) => {
    if (!filter) return logs;
    checkTopics(filter);
    return logs.filter((log) => matchesFilter(log, filter));
  },
  succeeded: ({ status }) => (status ? status === '0x1' : null),
};
