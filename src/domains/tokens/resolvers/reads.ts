import type { GraphQLResolveInfo } from 'graphql';
import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { TokensContext } from '../context.ts';
import { MAX_KNOWN_TOKENS, MAX_TOKENS_PER_FIELD } from '../costs.ts';
import type { RawTokenAmount, RawTokenBalance, TokenKey, TokensAccountKey } from '../model.ts';
import { isAmountMetadataSelected, isBalanceMetadataSelected, isOnlyTokenKeySelected, isTotalSupplySelected } from '../plan.ts';

/** Requests a token's metadata early, so that it shares a batch with the amount. A failure is reported by the fields that read it. */
const prefetchMetadata = ({ tokens }: TokensContext, contract: Data): void => void tokens.metadata(contract).catch(() => {});

/** The balance of an account in one token. */
export function resolveTokenBalance(
  owner: TokensAccountKey,
  contract: Data,
  context: TokensContext,
  info: GraphQLResolveInfo,
): Promise<RawTokenBalance> {
  if (isBalanceMetadataSelected(info)) prefetchMetadata(context, contract);
  return context.tokens.balance(owner, contract);
}

/** The amount of an account's tokens that a spender may transfer. */
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

/** The token at an address. If only fields that derive from the address are selected, its existence is not checked. */
export function resolveToken(
  address: Data,
  { tokens }: TokensContext,
  info: GraphQLResolveInfo,
): TokenKey | Promise<TokenKey | null> {
  if (isOnlyTokenKeySelected(info)) return { address };
  if (isTotalSupplySelected(info)) tokens.totalSupply(address, null).catch(() => {});
  return tokens.token(address);
}

/** The contracts of all tokens in the lists. Rejects with RESULT_TOO_LARGE for more than 500. */
export async function knownContracts({ tokens }: TokensContext): Promise<readonly Data[]> {
  const contracts = await tokens.knownContracts();
  if (contracts.length <= MAX_KNOWN_TOKENS) return contracts;
  const message = `TOKEN_LISTS has ${contracts.length} tokens on this chain. Pass the contracts, at most ${MAX_TOKENS_PER_FIELD}.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_KNOWN_TOKENS, actual: contracts.length });
}

/** Throws BAD_USER_INPUT for more than 100 contract addresses. */
export function checkTokenCount(contracts: readonly Data[], field: string): void {
  if (contracts.length <= MAX_TOKENS_PER_FIELD) return;
  throw new GraphError('BAD_USER_INPUT', `${field} takes at most ${MAX_TOKENS_PER_FIELD} addresses.`, {
    limit: MAX_TOKENS_PER_FIELD,
    actual: contracts.length,
  });
}
