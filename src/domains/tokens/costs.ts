import { type Args, free, type Weight, type Weights } from '../../graphql/pipeline/cost/field-cost.ts';

/** Most tokens that one field takes. */
export const MOST_TOKENS = 100;

/** Name, symbol and decimals of a token are a call each where the node has no token methods. They are cached, so once for each contract. */
const METADATA = 3;

const lengthOf = (name: string) => (args: Args) => {
  const list = args(name);
  return Array.isArray(list) ? Math.min(MOST_TOKENS, list.length) : MOST_TOKENS;
};

/** The contracts that an argument names; undefined where they cannot be told. */
const namedBy = (name: string) => (args: Args) => {
  const named = [args(name)].flat().slice(0, MOST_TOKENS);
  return named.every((contract) => typeof contract === 'string') ? named : undefined;
};

/** A token, of which nothing is read for its address alone. */
const token: Weight = { perName: METADATA, known: new Set(['address', 'account', '__typename']) };
const sameToken: Weight = { ...token, names: 'same' };
const ofContract: Weight = { calls: 1, names: 'same' };

/** What the fields of tokens cost. A part of an amount is known with it; what a token is called is known with the token. */
export const weights: Weights = {
  'Query.token': { ...token, names: namedBy('address') },
  'Query.tokens': { ...token, names: namedBy('addresses'), size: lengthOf('addresses') },
  'Query.tokenAllowance': { calls: 1, names: namedBy('contract') },
  'Account.tokenBalances': { calls: 1, names: namedBy('contracts'), size: lengthOf('contracts') },
  'Account.tokenBalance': { calls: 1, names: namedBy('contract') },
  'Account.tokenAllowance': { calls: 1, names: namedBy('contract') },
  'Account.token': sameToken,
  'Token.name': free,
  'Token.symbol': free,
  'Token.decimals': free,
  'Token.logo': free,
  'Token.address': free,
  'Token.account': { names: 'same' },
  'Token.*': ofContract,
  // An account by its address: its own fields are what costs.
  'TokenBalance.owner': free,
  'TokenBalance.token': sameToken,
  'TokenBalance.balance': { names: 'same' },
  'TokenAmount.token': sameToken,
  'TokenAmount.formatted': { perName: METADATA, names: 'same' },
};
