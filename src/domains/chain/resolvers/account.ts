import type { AccountResolvers } from '../../../generated/chain.ts';
import { decodeAtKey, encodeAtKey } from '../../../snapshot/block-key.ts';
import type { ChainContext } from '../context.ts';
import type { AccountAtBlock, StateField } from '../model.ts';
import { resolveAccount } from './links.ts';

/** Resolves a state field from the state read in advance, else reads it from the node. */
const stateResolver =
  (field: StateField) =>
  (account: AccountAtBlock, _args: unknown, { chain }: ChainContext): string | Promise<string> => {
    const known = account.state?.[field];
    if (!known) return chain.stateField(account, field);
    if ('error' in known) throw known.error;
    return known.value;
  };

export const chainAccountResolvers: AccountResolvers = {
  __resolveReference: ({ address, _at }, context, info) => resolveAccount({ address, at: decodeAtKey(_at) }, context, info),
  _at: ({ at }) => encodeAtKey(at),
  balance: stateResolver('balance'),
  transactionCount: stateResolver('transactionCount'),
  code: stateResolver('code'),
  storage: (account, { slot }, { chain }) => chain.storage(account, slot),
};
