import type { AccountResolvers } from '../../../generated/tokens.ts';
import { allowance, balance, checkCount, tokenAt } from './reads.ts';

/** What tokens add to an account, which comes from another domain by its key. */
export const Account: AccountResolvers = {
  tokenBalances: (owner, { contracts }, context, info) => {
    checkCount(contracts, 'tokenBalances');
    return Promise.all(contracts.map((contract) => balance(owner, contract, context, info)));
  },
  tokenBalance: (owner, { contract }, context, info) => balance(owner, contract, context, info),
  tokenAllowance: (owner, { contract, spender }, context, info) => allowance(contract, owner, spender, context, info),
  token: ({ address }, _args, context, info) => tokenAt(address, context, info),
};
