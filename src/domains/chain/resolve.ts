import type { Resolvers } from '../../generated/chain.ts';
import { chainAccountResolvers } from './account/resolve.ts';
import {
  chainBlockHeaderResolvers,
  chainBlockResolvers,
  chainReorgResolvers,
  chainWithdrawalResolvers,
} from './block/resolve.ts';
import {
  chainAccessListResultResolvers,
  chainCallResultResolvers,
  chainNativeTransferResolvers,
  chainSimulatedCallResolvers,
  chainSimulatedLogResolvers,
  chainSimulationResolvers,
} from './call/resolve.ts';
import { chainFeeHistoryBlockResolvers, chainFeeHistoryResolvers } from './fee/resolve.ts';
import {
  chainDecodedArgumentResolvers,
  chainLogResolvers,
  chainTokenResolvers,
  chainTokenTransferConnectionResolvers,
  chainTokenTransferResolvers,
} from './log/resolve.ts';
import { chainMutationResolvers, chainNetworkResolvers, chainQueryResolvers, chainServiceResolvers } from './resolve-query.ts';
import { chainSubscriptionResolvers, chainTransactionStatusUpdateResolvers } from './subscriptions/resolve.ts';
import {
  chainPendingBlockResolvers,
  chainPendingResolvers,
  chainReceiptResolvers,
  chainSubmissionResolvers,
  chainTransactionResolvers,
} from './transaction/resolve.ts';

/** `subscribe` of a field returns a `SourceStream`, which the generated types do not allow. */
type ChainResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** The resolvers of the chain. A field without a resolver is the property of the node's object with the same name. */
export const chainResolvers: ChainResolvers = {
  Account: chainAccountResolvers,
  Block: chainBlockResolvers,
  FeeHistory: chainFeeHistoryResolvers,
  FeeHistoryBlock: chainFeeHistoryBlockResolvers,
  AccessListResult: chainAccessListResultResolvers,
  NativeTransfer: chainNativeTransferResolvers,
  SimulatedCall: chainSimulatedCallResolvers,
  SimulatedLog: chainSimulatedLogResolvers,
  Simulation: chainSimulationResolvers,
  SubmitTransactionPayload: chainSubmissionResolvers,
  BlockHeader: chainBlockHeaderResolvers,
  CallResult: chainCallResultResolvers,
  DecodedArgument: chainDecodedArgumentResolvers,
  Log: chainLogResolvers,
  Mutation: chainMutationResolvers,
  Network: chainNetworkResolvers,
  Pending: chainPendingResolvers,
  PendingBlock: chainPendingBlockResolvers,
  Query: chainQueryResolvers,
  Receipt: chainReceiptResolvers,
  Reorg: chainReorgResolvers,
  Service: chainServiceResolvers,
  Subscription: chainSubscriptionResolvers,
  Token: chainTokenResolvers,
  TokenTransfer: chainTokenTransferResolvers,
  TokenTransferConnection: chainTokenTransferConnectionResolvers,
  Transaction: chainTransactionResolvers,
  TransactionStatusUpdate: chainTransactionStatusUpdateResolvers,
  Withdrawal: chainWithdrawalResolvers,
};
