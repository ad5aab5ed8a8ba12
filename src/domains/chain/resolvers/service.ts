import type { ServiceResolvers } from '../../../generated/chain.ts';

export const chainServiceResolvers: ServiceResolvers = {
  version: (_service, _args, { chain }) => chain.service.version,
  limits: (_service, _args, { chain }) => chain.service.limits,
  availableRange: (_service, { resource }, { chain }) => chain.availableRange(resource),
};
