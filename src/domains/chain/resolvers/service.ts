import type { ServiceResolvers } from '../../../generated/chain.ts';

export const chainServiceResolvers: ServiceResolvers = {
  availableRange: (_service, { resource }, { chain }) => chain.availableRange(resource),
};
