import { type ArgumentReader, type FieldWeight, type FieldWeights, FREE_FIELD } from '../../graphql/pipeline/cost/field-cost.ts';

/** Most tokens that one field takes. */
export const MAX_TOKENS_PER_FIELD = 100;

/** Name, symbol and decimals of a token are a call each where the node has no token methods. They are cached, so once for each contract. */
const METADATA_CALLS = 3;

const lengthOf = (name: string) => (args: ArgumentReader) => {
  const list = args(name);
  return Array.isArray(list) ? Math.min(MAX_TOKENS_PER_FIELD, list.length) : MAX_TOKENS_PER_FIELD;
};

/** The contracts that an argument names; undefined where they cannot be told. */
const contractAddressesIn = (name: string) => (args: ArgumentReader) => {
  const named = [args(name)].flat().slice(0, MAX_TOKENS_PER_FIELD);
  return named.every((contract) => typeof contract === 'string') ? named : undefined;
};

/** A token, of which nothing is read for its address alone. */
const tokenWeight: FieldWeight = { callsPerAddress: METADATA_CALLS, knownFields: new Set(['address', 'account', '__typename']) };
const sameTokenWeight: FieldWeight = { ...tokenWeight, addresses: 'same' };
const contractCallWeight: FieldWeight = { calls: 1, addresses: 'same' };

/** What the fields of tokens cost. A part of an amount is known with it; what a token is called is known with the token. */
export const tokensWeights: FieldWeights = {
  'Query.token': { ...tokenWeight, addresses: contractAddressesIn('address') },
  'Query.tokens': { ...tokenWeight, addresses: contractAddressesIn('addresses'), size: lengthOf('addresses') },
  'Query.tokenAllowance': { calls: 1, addresses: contractAddressesIn('contract') },
  'Account.tokenBalances': { calls: 1, addresses: contractAddressesIn('contracts'), size: lengthOf('contracts') },
  'Account.tokenBalance': { calls: 1, addresses: contractAddressesIn('contract') },
  'Account.tokenAllowance': { calls: 1, addresses: contractAddressesIn('contract') },
  'Account.token': sameTokenWeight,
  'Token.name': FREE_FIELD,
  'Token.symbol': FREE_FIELD,
  'Token.decimals': FREE_FIELD,
  'Token.logo': FREE_FIELD,
  'Token.address': FREE_FIELD,
  'Token.account': { addresses: 'same' },
  'Token.*': contractCallWeight,
  // An account by its address: its own fields are what costs.
  'TokenBalance.owner': FREE_FIELD,
  'TokenBalance.token': sameTokenWeight,
  'TokenBalance.balance': { addresses: 'same' },
  'TokenAmount.token': sameTokenWeight,
  'TokenAmount.formatted': { callsPerAddress: METADATA_CALLS, addresses: 'same' },
};
