import type { LogResolvers } from '../../../generated/chain.ts';
import { planByPosition } from '../plan.ts';
import { cursorOf } from '../subscriptions/log-cursor.ts';
import { accountAt, blockLink } from './links.ts';

export const Log: LogResolvers = {
  index: ({ logIndex }) => logIndex,
  account: ({ address }, { block }, context, info) => accountAt(address, block, context, info)!,
  transaction: ({ transactionHash, blockHash, blockNumber, transactionIndex }, _args, { chain }, info) =>
    chain.completeTransaction(
      {
        hash: transactionHash,
        blockHash: blockHash ?? null,
        blockNumber: blockNumber ?? null,
        transactionIndex: transactionIndex ?? null,
      },
      planByPosition(info),
    ),
  block: (log, _args, context, info) => blockLink(log, context, info),
  removed: ({ removed }) => removed ?? false,
  cursor: cursorOf,
};
