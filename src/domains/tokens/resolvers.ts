import type { GraphQLResolveInfo } from 'graphql';
import { type Data, formatUnits } from '../../ethereum/hex.ts';
import type { TokenMetadata } from '../../ethereum/tokens.ts';
import type { AccountTokenAllowanceArgs, Resolvers } from '../../generated/tokens.ts';
import { memoizePerSelection, type Selection, selectionOf } from '../../graphql/selection.ts';
import { GraphError } from '../../lib/errors.ts';
import { MAX_KNOWN_TOKENS, MAX_TOKENS_PER_FIELD } from './costs.ts';
import type { TokensContext } from './loaders/index.ts';
import { type TokenKey, type TokensAccountKey, toRawTokenAmount } from './model.ts';

const METADATA_FIELDS: ReadonlySet<string> = new Set(['name', 'symbol', 'decimals', 'logo']);
/** `transfers` is a field of the chain. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['address', 'account', 'transfers']);

const selectsTokenMetadata = (token: Selection): boolean => token.hasAny(METADATA_FIELDS);
const selectsAmountMetadata = (amount: Selection): boolean =>
  amount.has('formatted') || selectsTokenMetadata(amount.subselection('token'));
const selectsBalanceMetadata = (balance: Selection): boolean =>
  selectsTokenMetadata(balance.subselection('token')) || selectsAmountMetadata(balance.subselection('balance'));

/** Whether a token's metadata is selected below a `TokenAmount`. */
const isAmountMetadataSelected = memoizePerSelection((info) => selectsAmountMetadata(selectionOf(info)));
/** Whether a token's metadata is selected below a `TokenBalance`. */
const isBalanceMetadataSelected = memoizePerSelection((info) => selectsBalanceMetadata(selectionOf(info)));
/** Whether `totalSupply` is selected without its `block` argument, hence at the operation's block. */
const isTotalSupplySelected = memoizePerSelection((info) =>
  selectionOf(info)
    .nodes('totalSupply')
    .some(({ arguments: args = [] }) => args.length === 0),
);
/** Whether only fields that derive from the address are selected, so that no read is needed. */
const isOnlyTokenKeySelected = memoizePerSelection((info) => selectionOf(info).hasOnly(KEY_FIELDS));

/**
 * Requests a token's metadata early, so that it shares a batch with the amount. The fields that read the metadata
 * report a failure.
 */
const prefetchMetadata = ({ tokens }: TokensContext, contract: Data): void => void tokens.metadata(contract).catch(() => {});

/** The balance of an account in one token. */
function balanceOf(owner: TokensAccountKey, contract: Data, context: TokensContext, info: GraphQLResolveInfo) {
  if (isBalanceMetadataSelected(info)) prefetchMetadata(context, contract);
  return context.tokens.balance(owner, contract);
}

/** The amount of an account's tokens that a spender may transfer. */
function allowanceOf(
  owner: TokensAccountKey,
  { contract, spender }: AccountTokenAllowanceArgs,
  context: TokensContext,
  info: GraphQLResolveInfo,
) {
  if (isAmountMetadataSelected(info)) prefetchMetadata(context, contract);
  return context.tokens.allowance(contract, owner, spender);
}

/** The token at an address. If only fields that derive from the address are selected, its existence is not checked. */
function resolveToken(address: Data, { tokens }: TokensContext, info: GraphQLResolveInfo): TokenKey | Promise<TokenKey | null> {
  if (isOnlyTokenKeySelected(info)) return { address };
  if (isTotalSupplySelected(info)) tokens.totalSupply(address, null).catch(() => {});
  return tokens.token(address);
}

/** The contracts of all tokens in the lists. Rejects with RESULT_TOO_LARGE for more than 500. */
async function knownContracts({ tokens }: TokensContext): Promise<readonly Data[]> {
  const contracts = await tokens.knownContracts();
  if (contracts.length <= MAX_KNOWN_TOKENS) return contracts;
  const message = `TOKEN_LISTS has ${contracts.length} tokens on this chain. Pass the contracts, at most ${MAX_TOKENS_PER_FIELD}.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_KNOWN_TOKENS, actual: contracts.length });
}

/** Throws BAD_USER_INPUT for more than 100 contract addresses. */
function checkTokenCount(contracts: readonly Data[], field: string): void {
  if (contracts.length <= MAX_TOKENS_PER_FIELD) return;
  const detail = { limit: MAX_TOKENS_PER_FIELD, actual: contracts.length };
  throw new GraphError('BAD_USER_INPUT', `${field} takes at most ${MAX_TOKENS_PER_FIELD} addresses.`, detail);
}

const metadataOf =
  <Field extends keyof TokenMetadata>(field: Field) =>
  async ({ address }: TokenKey, _args: unknown, { tokens }: TokensContext): Promise<TokenMetadata[Field] | null> =>
    (await tokens.metadata(address))?.[field] ?? null;

/** Resolvers of this domain. A field without a resolver is the property with its name on the types of model.ts. */
export const tokensResolvers: Resolvers = {
  Query: {
    token: (_query, { address }, context, info) => resolveToken(address, context, info),
    tokens: (_query, { addresses }, context, info) => {
      checkTokenCount(addresses, 'tokens');
      // The generated list type excludes promises of null; the executor accepts them.
      return addresses.map((address) => resolveToken(address, context, info) as Promise<TokenKey>);
    },
    tokenAllowance: (_query, args, context, info) => allowanceOf({ address: args.owner, _at: null }, args, context, info),
  },
  Account: {
    async tokenBalances(owner, { contracts, nonZero }, context, info) {
      if (contracts) checkTokenCount(contracts, 'tokenBalances');
      const read = contracts ?? (await knownContracts(context));
      const balances = await Promise.all(read.map((contract) => balanceOf(owner, contract, context, info)));
      return nonZero ? balances.filter(({ word }) => word !== null && BigInt(word) > 0n) : balances;
    },
    tokenBalance: (owner, { contract }, context, info) => balanceOf(owner, contract, context, info),
    tokenAllowance: (owner, args, context, info) => allowanceOf(owner, args, context, info),
    label: ({ address }, _args, { tokens }) => tokens.label(address),
    token: ({ address }, _args, context, info) => resolveToken(address, context, info),
  },
  Token: {
    __resolveReference: ({ address }) => ({ address }),
    name: metadataOf('name'),
    symbol: metadataOf('symbol'),
    decimals: metadataOf('decimals'),
    logo: metadataOf('logo'),
    account: ({ address }) => ({ address, _at: null }),
    totalSupply: ({ address }, { block }, { tokens }) => tokens.totalSupply(address, block ?? null),
    balanceOf: ({ address }, { owner, block }, context, info) =>
      balanceOf({ address: owner, _at: block ?? null }, address, context, info),
    allowance: ({ address }, { owner, spender }, context, info) =>
      allowanceOf({ address: owner, _at: null }, { contract: address, spender }, context, info),
  },
  TokenAmount: {
    value: ({ raw }) => BigInt(raw).toString(),
    formatted: async ({ raw, contract }, _args, { tokens }) => {
      const decimals = (await tokens.metadata(contract))?.decimals;
      return decimals === null || decimals === undefined ? null : formatUnits(BigInt(raw), decimals);
    },
    token: ({ contract }) => ({ address: contract }),
  },
  TokenBalance: {
    contractAddress: ({ contract }) => contract,
    token: ({ contract }) => ({ address: contract }),
    balance: ({ contract, word }) => toRawTokenAmount(contract, word),
    tokenBalance: ({ word }) => word,
    error: ({ word }) => (word === null ? 'The contract returns no balance.' : null),
  },
};
