import type { Resolvers } from '../../../generated/chain.ts';
import { Account } from './account.ts';
import { Block, Withdrawal } from './block.ts';
import { Log } from './log.ts';
import { Mutation } from './mutation.ts';
import { Network, Query } from './query.ts';
import { Receipt } from './receipt.ts';
import { Transaction } from './transaction.ts';

/** Fields that are not here are properties of the node's own object under the same name. */
export const resolvers: Resolvers = { Account, Block, Log, Mutation, Network, Query, Receipt, Transaction, Withdrawal };
