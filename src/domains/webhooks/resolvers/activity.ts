import type { Data } from '../../../ethereum/hex.ts';
import type { AddressActivityResolvers, RawContractResolvers } from '../../../generated/webhooks.ts';
import type { AccountKey } from '../model.ts';

const accountKeyOf = (address: Data | null): AccountKey | null => (address === null ? null : { address, _at: null });

export const addressActivityResolvers: AddressActivityResolvers = {
  from: ({ from }) => accountKeyOf(from),
  to: ({ to }) => accountKeyOf(to),
  block: async ({ blockNumber }, _args, { webhooks }) =>
    (await webhooks.isReached(blockNumber)) ? { number: blockNumber } : null,
};

export const rawContractResolvers: RawContractResolvers = {
  token: ({ address }) => (address === null ? null : { address }),
};
