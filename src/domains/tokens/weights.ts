import { type Args, free, type Weight, type Weights } from '../../graphql/limits-weights.ts';

const call: Weight = { calls: 1 };

/** Most tokens that one field takes. */
export const MOST_TOKENS = 100;

const lengthOf = (name: string) => (args: Args) => {
  const list = args(name);
  return Array.isArray(list) ? Math.min(MOST_TOKENS, list.length) : MOST_TOKENS;
};

/** What the fields of tokens cost. A part of an amount is known with it; what a token is called is kept. */
export const weights: Weights = {
  'Query.token': call,
  'Query.tokens': { calls: 1, size: lengthOf('addresses') },
  'Query.tokenAllowance': call,
  'Account.tokenBalances': { calls: 1, size: lengthOf('contracts') },
  'Account.tokenBalance': call,
  'Account.tokenAllowance': call,
  'Account.token': call,
  'Token.address': free,
  'Token.account': free,
  'Token.*': call,
  'TokenAmount.formatted': call,
};
