import { quantityOf } from '../../../ethereum/hex.ts';
import type {
  DecodedArgumentResolvers,
  LogResolvers,
  TokenResolvers,
  TokenTransferConnectionResolvers,
  TokenTransferResolvers,
} from '../../../generated/chain.ts';
import { resolveAccountAt, resolveContainingBlock } from '../links.ts';
import { logId } from '../model.ts';
import { transactionPlanByPosition } from '../transaction/plan.ts';
import { logCursorOf } from './cursor.ts';
import { transferPagePlan } from './plan.ts';

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

export const chainDecodedArgumentResolvers: DecodedArgumentResolvers = {
  account: ({ address }, _args, context, info) => resolveAccountAt(address, null, context, info),
};

export const chainLogResolvers: LogResolvers = {
  id: logId,
  decoded: (log, _args, { chain }) => chain.decoder.decodedEvent(log),
  index: ({ logIndex }) => logIndex,
  account: ({ address }, { block }, context, info) => resolveAccountAt(address, block, context, info)!,
  transaction: ({ transactionHash, blockHash, blockNumber, transactionIndex }, _args, { chain }, info) =>
    chain.transactions.completeTransaction(
      {
        hash: transactionHash,
        blockHash: blockHash ?? null,
        blockNumber: blockNumber ?? null,
        transactionIndex: transactionIndex ?? null,
      },
      transactionPlanByPosition(info),
    ),
  block: (log, _args, context, info) => resolveContainingBlock(log, context, info),
  removed: ({ removed }) => removed ?? false,
  cursor: logCursorOf,
};
