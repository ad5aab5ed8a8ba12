import type { DecodedArgumentResolvers } from '../../../generated/chain.ts';
import { resolveAccountAt } from './links.ts';

export const chainDecodedArgumentResolvers: DecodedArgumentResolvers = {
  account: ({ address }, _args, context, info) => resolveAccountAt(address, null, context, info),
};
