import type { GraphQLResolveInfo } from 'graphql';
import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { TokensContext } from '../context.ts';
import { MOST_TOKENS } from '../costs.ts';
import type { AccountKey, AmountOf, BalanceOf, TokenAt } from '../model.ts';
import { amountWantsMetadata, balanceWantsMetadata, isKeyAlone, wantsSupply } from '../plan.ts';

/** Asks for a token's metadata now, so that it travels with what it is selected with; whoever needs it hears of a failure. */
const askAhead = ({ tokens }: TokensContext, contract: Data): void => void tokens.metadata(contract).catch(() => {});

/** What an account has of a token. */
export function balance(owner: AccountKey, contract: Data, context: TokensContext, info: GraphQLResolveInfo): Promise<BalanceOf> {
  if (balanceWantsMetadata(info)) askAhead(context, contract);
  return context.tokens.balance(owner, contract);
}

/** What a spender may take of an account's tokens. */
export function allowance(
  contract: Data,
  owner: AccountKey,
  spender: Data,
  context: TokensContext,
  info: GraphQLResolveInfo,
): Promise<AmountOf | null> {
  if (amountWantsMetadata(info)) askAhead(context, contract);
  return context.tokens.allowance(contract, owner, spender);
}

/** The token at an address, which has to be known only where more than the address is selected. */
export function tokenAt(address: Data, { tokens }: TokensContext, info: GraphQLResolveInfo): TokenAt | Promise<TokenAt | null> {
  if (isKeyAlone(info)) return { address };
  if (wantsSupply(info)) tokens.totalSupply(address, null).catch(() => {});
  return tokens.token(address);
}

/** Throws BAD_USER_INPUT when a list of contracts is longer than one field takes. */
export function checkCount(contracts: readonly Data[], name: string): void {
  if (contracts.length <= MOST_TOKENS) return;
  throw new GraphError('BAD_USER_INPUT', `${name} takes at most ${MOST_TOKENS} addresses.`, {
    limit: MOST_TOKENS,
    actual: contracts.length,
  });
}
