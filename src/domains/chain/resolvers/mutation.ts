import type { MutationResolvers } from '../../../generated/chain.ts';

export const Mutation: MutationResolvers = {
  sendRawTransaction: (_mutation, { data }, { chain }) => chain.submit(data),
};
