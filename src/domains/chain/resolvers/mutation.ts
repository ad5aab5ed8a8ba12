import type { MutationResolvers } from '../../../generated/chain.ts';

export const chainMutationResolvers: MutationResolvers = {
  sendRawTransaction: (_mutation, { data }, { chain }) => chain.submit(data),
};
