import type { AccountResolvers } from '../../../generated/tokens.ts';
import { checkTokenCount, knownContracts, resolveToken, resolveTokenAllowance, resolveTokenBalance } from './reads.ts';

/** Fields that this domain adds to `Account`. */
export const tokensAccountResolvers: AccountResolvers = {
  async tokenBalances(owner, { contracts, nonZero }, context, info) {
    if (contracts) checkTokenCount(contracts, 'tokenBalances');
    const read = contracts ?? (await knownContracts(context));
    const balances = await Promise.all(read.map((contract) => resolveTokenBalance(owner, contract, context, info)));
    return nonZero ? balances.filter(({ word }) => word !== null && BigInt(word) > 0n) : balances;
  },
  tokenBalance: (owner, { contract }, context, info) => resolveTokenBalance(owner, contract, context, info),
  tokenAllowance: (owner, { contract, spender }, context, info) => resolveTokenAllowance(contract, owner, spender, context, info),
  label: ({ address }, _args, { tokens }) => tokens.label(address),
  token: ({ address }, _args, context, info) => resolveToken(address, context, info),
};
