import type { Resolvers } from '../../../generated/tokens.ts';
import { tokensAccountResolvers } from './account.ts';
import { tokensQueryResolvers } from './query.ts';
import { tokensTokenAmountResolvers, tokensTokenBalanceResolvers, tokensTokenResolvers } from './token.ts';

/** Resolvers of this domain. Other fields are properties of the same name on the types of model.ts. */
export const tokensResolvers: Resolvers = {
  Account: tokensAccountResolvers,
  Query: tokensQueryResolvers,
  Token: tokensTokenResolvers,
  TokenAmount: tokensTokenAmountResolvers,
  TokenBalance: tokensTokenBalanceResolvers,
};
