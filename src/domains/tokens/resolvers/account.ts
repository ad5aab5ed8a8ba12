import type { AccountResolvers } from '../../../generated/tokens.ts';
import { checkTokenCount, resolveToken, resolveTokenAllowance, resolveTokenBalance } from './reads.ts';

/** Fields that this domain adds to `Account`. */
export const tokensAccountResolvers: AccountResolvers = {
  tokenBalances: (owner, { contracts }, context, info) => {
    checkTokenCount(contracts, 'tokenBalances');
    return Promise.all(contracts.map((contract) => resolveTokenBalance(owner, contract, context, info)));
  },
  tokenBalance: (owner, { contract }, context, info) => resolveTokenBalance(owner, contract, context, info),
  tokenAllowance: (owner, { contract, spender }, context, info) => resolveTokenAllowance(contract, owner, spender, context, info),
  label: ({ address }, _args, { tokens }) => tokens.label(address),
  token: ({ address }, _args, context, info) => resolveToken(address, context, info),
};
