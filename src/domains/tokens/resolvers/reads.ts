import type { GraphQLResolveInfo } from 'graphql';
import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { TokensContext } from '../context.ts';
import { MAX_TOKENS_PER_FIELD } from '../costs.ts';
import type { RawTokenAmount, RawTokenBalance, TokenKey, TokensAccountKey } from '../model.ts';
import { isAmountMetadataSelected, isBalanceMetadataSelected, isOnlyTokenKeySelected, isTotalSupplySelected } from '../plan.ts';

/** Asks for a token's metadata now, so that it travels with what it is selected with; whoever needs it hears of a failure. */
const prefetchMetadata = ({ tokens }: TokensContext, contract: Data): void => void tokens.metadata(contract).catch(() => {});

/** What an account has of a token. */
export function resolveTokenBalance(
  owner: TokensAccountKey,
  contract: Data,
  context: TokensContext,
  info: GraphQLResolveInfo,
): Promise<RawTokenBalance> {
  if (isBalanceMetadataSelected(info)) prefetchMetadata(context, contract);
  return context.tokens.balance(owner, contract);
}

/** What a spender may take of an account's tokens. */
export function resolveTokenAllowance(
  contract: Data,
  owner: TokensAccountKey,
  spender: Data,
  context: TokensContext,
  info: GraphQLResolveInfo,
): Promise<RawTokenAmount | null> {
  if (isAmountMetadataSelected(info)) prefetchMetadata(context, contract);
  return context.tokens.allowance(contract, owner, spender);
}

/** The token at an address, which has to be known only where more than the address is selected. */
export function resolveToken(
  address: Data,
  { tokens }: TokensContext,
  info: GraphQLResolveInfo,
): TokenKey | Promise<TokenKey | null> {
  if (isOnlyTokenKeySelected(info)) return { address };
  if (isTotalSupplySelected(info)) tokens.totalSupply(address, null).catch(() => {});
  return tokens.token(address);
}

/** Throws BAD_USER_INPUT when a list of contracts is longer than one field takes. */
export function checkTokenCount(contracts: readonly Data[], name: string): void {
  if (contracts.length <= MAX_TOKENS_PER_FIELD) return;
  throw new GraphError('BAD_USER_INPUT', `${name} takes at most ${MAX_TOKENS_PER_FIELD} addresses.`, {
    limit: MAX_TOKENS_PER_FIELD,
    actual: contracts.length,
  });
}
