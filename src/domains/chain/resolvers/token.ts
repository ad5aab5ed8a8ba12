import { quantityOf } from '../../../ethereum/hex.ts';
import type { TokenResolvers, TokenTransferConnectionResolvers, TokenTransferResolvers } from '../../../generated/chain.ts';
import { transferPagePlan } from '../plan.ts';
import { resolveAccountAt } from './links.ts';

/** Fields that this domain adds to `Token`. */
export const chainTokenResolvers: TokenResolvers = {
  transfers({ address }, { first, after, last, before, ...criteria }, { chain }, info) {
    const { nodes, edges } = transferPagePlan(info);
    return chain.logs.transfers({ contract: address, ...criteria }, { first, after, last, before }, nodes, edges);
  },
};

export const chainTokenTransferConnectionResolvers: TokenTransferConnectionResolvers = {
  totalAmount: ({ transfers }) => quantityOf(transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
};

export const chainTokenTransferResolvers: TokenTransferResolvers = {
  from: ({ from }, _args, context, info) => resolveAccountAt(from, null, context, info)!,
  to: ({ to }, _args, context, info) => resolveAccountAt(to, null, context, info)!,
};
