import { quantityOf } from '../../../ethereum/hex.ts';
import type { Resolvers } from '../../../generated/chain.ts';
import { resolveAccountAt, resolveBlockTimestamp, resolveContainingBlock } from '../links.ts';
import { logId } from '../model.ts';
import { transactionPlanByPosition } from '../transaction/plan.ts';
import { logCursorOf } from './cursor.ts';
import { transferPagePlan } from './plan.ts';

export const logResolvers = {
  /** Fields that this domain adds to `Token`. */
  Token: {
    transfers({ address }, args, { chain }, info) {
      const { nodes, edges } = transferPagePlan(info);
      return chain.logs.transfers(address, args, nodes, edges);
    },
  },
  TokenTransferConnection: {
    totalAmount: ({ transfers }) => quantityOf(transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
  },
  TokenTransfer: {
    from: ({ from }, _args, context, info) => resolveAccountAt(from, null, context, info)!,
    to: ({ to }, _args, context, info) => resolveAccountAt(to, null, context, info)!,
  },
  DecodedArgument: {
    account: ({ address }, _args, context, info) => resolveAccountAt(address, null, context, info),
  },
  Log: {
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
    blockTimestamp: resolveBlockTimestamp,
    removed: ({ removed }) => removed === true,
    cursor: logCursorOf,
  },
} satisfies Resolvers;
