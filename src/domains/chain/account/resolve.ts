import { formatWei } from '../../../ethereum/hex.ts';
import { arraySlot, mappingSlot } from '../../../ethereum/storage-slots.ts';
import type { Resolvers } from '../../../generated/chain.ts';
import { decodeAtKey, encodeAtKey } from '../../../snapshot/block-availability.ts';
import { readContract } from '../call/resolve.ts';
import { resolveAccount } from '../links.ts';
import type { ChainContext } from '../load.ts';
import type { AccountAtBlock, StateField } from '../model.ts';

/** Resolves a state field from the state read in advance, else reads it from the node. */
const stateResolver =
  (field: StateField) =>
  (account: AccountAtBlock, _args: unknown, { chain }: ChainContext): string | Promise<string> => {
    const known = account.state?.[field];
    if (!known) return chain.accounts.stateField(account, field);
    if ('error' in known) throw known.error;
    return known.value;
  };

const balanceOf = stateResolver('balance');
const codeOf = stateResolver('code');

/**
 * The code of an account that delegates to a contract (EIP-7702). The code of a contract never has this prefix
 * (EIP-3541).
 */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

export const accountResolvers = {
  Account: {
    __resolveReference: ({ address, _at }, context, info) => resolveAccount({ address, at: decodeAtKey(_at) }, context, info),
    _at: ({ at }) => encodeAtKey(at),
    id: (account, _args, { chain }) => chain.accounts.idOf(account),
    balance: balanceOf,
    transactionCount: stateResolver('transactionCount'),
    code: codeOf,
    storage: (account, { slot }, { chain }) => chain.accounts.storage(account, slot),
    balanceIn: async (account, { unit }, context) => formatWei(await balanceOf(account, {}, context), unit),
    isContract: async (account, args, context) => {
      const code = await codeOf(account, args, context);
      return code !== '0x' && !DELEGATION.test(code);
    },
    mappingStorage: (account, { slot, keys }, { chain }) => chain.accounts.storage(account, mappingSlot(slot, keys)),
    arrayStorage: (account, { fixed, ...element }, { chain }) =>
      chain.accounts.storage(account, arraySlot({ ...element, isFixed: fixed })),
    storageMany: (account, { slots }, { chain }) => chain.accounts.storageMany(account, slots),
    read: (account, args, context) => readContract(account, args, context),
    proof: (account, { storageKeys }, { chain }) => chain.accounts.proof(account, storageKeys),
  },
} satisfies Resolvers;
