import type { AccountResolvers } from '../../../generated/chain.ts';
import { accountReads } from '../methods.ts';

export const Account: AccountResolvers = {
  balance: (account, _args, { chain }) => chain.state(accountReads.balance, account),
  transactionCount: (account, _args, { chain }) => chain.state(accountReads.transactionCount, account),
  code: (account, _args, { chain }) => chain.state(accountReads.code, account),
  storage: (account, { slot }, { chain }) => chain.state(accountReads.storage, account, slot),
};
