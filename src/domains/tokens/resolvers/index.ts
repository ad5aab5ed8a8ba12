import type { Resolvers } from '../../../generated/tokens.ts';
import { tokensAccountResolvers } from './account.ts';
import { tokensQueryResolvers } from './query.ts';
import { tokensTokenAmountResolvers, tokensTokenBalanceResolvers, tokensTokenResolvers } from './token.ts';

/** Fields that are not here are properties of the objects of model.ts under the same name. */
export const tokensResolvers: Resolvers = {
  Account: tokensAccountResolvers,
  Query: tokensQueryResolvers,
  Token: tokensTokenResolvers,
  TokenAmount: tokensTokenAmountResolvers,
  TokenBalance: tokensTokenBalanceResolvers,
};
