import type { Resolvers } from '../../../generated/chain.ts';
import { chainAccountResolvers } from './account.ts';
import { chainBlockResolvers, chainWithdrawalResolvers } from './block.ts';
import { chainBlockHeaderResolvers, chainReorgResolvers } from './header.ts';
import { chainLogResolvers } from './log.ts';
import { chainMutationResolvers } from './mutation.ts';
import { chainNetworkResolvers, chainQueryResolvers } from './query.ts';
import { chainReceiptResolvers } from './receipt.ts';
import { chainSubscriptionResolvers, chainTransactionStatusUpdateResolvers } from './subscription.ts';
import { chainTransactionResolvers } from './transaction.ts';

/** What a subscription gives is a stream, which the generated types know nothing of. */
type ChainResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Fields that are not here are properties of the node's own object under the same name. */
export const chainResolvers: ChainResolvers = {
  Account: chainAccountResolvers,
  Block: chainBlockResolvers,
  BlockHeader: chainBlockHeaderResolvers,
  Log: chainLogResolvers,
  Mutation: chainMutationResolvers,
  Network: chainNetworkResolvers,
  Query: chainQueryResolvers,
  Receipt: chainReceiptResolvers,
  Reorg: chainReorgResolvers,
  Subscription: chainSubscriptionResolvers,
  Transaction: chainTransactionResolvers,
  TransactionStatusUpdate: chainTransactionStatusUpdateResolvers,
  Withdrawal: chainWithdrawalResolvers,
};
