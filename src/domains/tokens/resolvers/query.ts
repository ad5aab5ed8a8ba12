import type { QueryResolvers } from '../../../generated/tokens.ts';
import type { TokenKey } from '../model.ts';
import { checkTokenCount, resolveToken, resolveTokenAllowance } from './reads.ts';

export const tokensQueryResolvers: QueryResolvers = {
  token: (_query, { address }, context, info) => resolveToken(address, context, info),
  tokens: (_query, { addresses }, context, info) => {
    checkTokenCount(addresses, 'tokens');
    // The generated list type excludes promises of null; the executor accepts them.
    return addresses.map((address) => resolveToken(address, context, info) as Promise<TokenKey>);
  },
  tokenAllowance: (_query, { contract, owner, spender }, context, info) =>
    resolveTokenAllowance(contract, { address: owner, _at: null }, spender, context, info),
};
