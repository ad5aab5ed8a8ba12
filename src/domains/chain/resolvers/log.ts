import type { LogResolvers } from '../../../generated/chain.ts';
import { logId } from '../ids.ts';
import { logCursorOf } from '../log-cursor.ts';
import { transactionPlanByPosition } from '../plan.ts';
import { resolveAccountAt, resolveContainingBlock } from './links.ts';

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
