import type { Resolvers } from '../../../generated/tokens.ts';
import { Account } from './account.ts';
import { Query } from './query.ts';
import { Token, TokenAmount, TokenBalance } from './token.ts';

/** Fields that are not here are properties of the objects of model.ts under the same name. */
export const resolvers: Resolvers = { Account, Query, Token, TokenAmount, TokenBalance };
