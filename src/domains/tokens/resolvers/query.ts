import type { QueryResolvers } from '../../../generated/tokens.ts';
import type { TokenAt } from '../model.ts';
import { allowance, checkCount, tokenAt } from './reads.ts';

export const Query: QueryResolvers = {
  token: (_query, { address }, context, info) => tokenAt(address, context, info),
  tokens: (_query, { addresses }, context, info) => {
    checkCount(addresses, 'tokens');
    // The generated type has no promise of null, the executor has.
    return addresses.map((address) => tokenAt(address, context, info) as Promise<TokenAt>);
  },
  tokenAllowance: (_query, { contract, owner, spender }, context, info) =>
    allowance(contract, { address: owner, _at: null }, spender, context, info),
};
