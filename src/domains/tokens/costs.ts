import {
  type DistinctObjects,
  type FieldWeights,
  FREE_FIELD,
  type ListLength,
  weightsOf,
} from '../../graphql/cost/field-cost.ts';

/** Maximum number of token addresses in one argument. */
export const MAX_TOKENS_PER_FIELD = 100;

/** Maximum number of tokens of the lists whose balances one field returns. */
export const MAX_KNOWN_TOKENS = 500;

/**
 * Without enhanced methods, name, symbol and decimals need one call each. The server caches the values, so the estimate
 * charges each contract once.
 */
const METADATA_CALLS = 3;

const lengthOf = (name: string): ListLength => ({
  assumed: MAX_TOKENS_PER_FIELD,
  of(args) {
    const list = args(name);
    return Array.isArray(list) ? Math.min(MAX_TOKENS_PER_FIELD, list.length) : MAX_TOKENS_PER_FIELD;
  },
});

/**
 * The number of balances of one account: the number of contracts in the argument, else the number of all listed tokens,
 * which only the server knows.
 */
const balanceCount: ListLength = {
  assumed: MAX_KNOWN_TOKENS,
  of: (args, ...rest) => ((args('contracts') ?? null) === null ? MAX_KNOWN_TOKENS : lengthOf('contracts').of(args, ...rest)),
};

/** The contract addresses in an argument; undefined if it is not a list of strings, as for an unknown variable. */
const contractsIn = (name: string): DistinctObjects => ({
  keys(args) {
    const value = args(name);
    const addresses: unknown[] = Array.isArray(value) ? value.slice(0, MAX_TOKENS_PER_FIELD) : [value];
    return addresses.every((address) => typeof address === 'string') ? addresses : undefined;
  },
});

/** Reading a token's metadata; free if only fields derived from the address are selected. */
const tokenWeight = (distinct?: DistinctObjects) => ({
  distinct: { ...distinct, calls: METADATA_CALLS },
  knownFields: new Set(['address', 'account', 'transfers', '__typename']),
});
const callOfContract = { calls: 1, distinct: contractsIn('contract') };
const sameContract: DistinctObjects = { keys: 'same' };

/** Cost weights of the fields of this domain. Metadata fields are charged with their token, the parts of an amount with the amount. */
export const tokensWeights: FieldWeights = {
  'Query.token': tokenWeight(contractsIn('address')),
  'Query.tokens': { ...tokenWeight(contractsIn('addresses')), size: lengthOf('addresses') },
  ...weightsOf(callOfContract, 'Query.tokenAllowance', 'Account.tokenBalance', 'Account.tokenAllowance'),
  '_Entity.Token': tokenWeight(),
  'Account.tokenBalances': { calls: 1, distinct: contractsIn('contracts'), size: balanceCount },
  'Account.label': FREE_FIELD,
  ...weightsOf(tokenWeight(sameContract), 'Account.token', 'TokenBalance.token', 'TokenAmount.token'),
  ...weightsOf(FREE_FIELD, 'Token.name', 'Token.symbol', 'Token.decimals', 'Token.logo', 'Token.address'),
  ...weightsOf({ distinct: sameContract }, 'Token.account', 'TokenBalance.balance'),
  'Token.*': { calls: 1, distinct: sameContract },
  // Returns only the key of the account; the fields of Account are charged themselves.
  'TokenBalance.owner': FREE_FIELD,
  'TokenAmount.formatted': { distinct: { ...sameContract, calls: METADATA_CALLS } },
};
