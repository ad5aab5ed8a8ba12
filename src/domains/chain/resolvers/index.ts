import type { Resolvers } from '../../../generated/chain.ts';
import { Account } from './account.ts';
import { Block, Withdrawal } from './block.ts';
import { BlockHeader, Reorg } from './header.ts';
import { Log } from './log.ts';
import { Mutation } from './mutation.ts';
import { Network, Query } from './query.ts';
import { Receipt } from './receipt.ts';
import { Subscription, TransactionStatusUpdate } from './subscription.ts';
import { Transaction } from './transaction.ts';

/** What a subscription gives is a stream, which the generated types know nothing of. */
type OwnResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Fields that are not here are properties of the node's own object under the same name. */
export const resolvers: OwnResolvers = {
  Account,
  Block,
  BlockHeader,
  Log,
  Mutation,
  Network,
  Query,
  Receipt,
  Reorg,
  Subscription,
  Transaction,
  TransactionStatusUpdate,
  Withdrawal,
};
