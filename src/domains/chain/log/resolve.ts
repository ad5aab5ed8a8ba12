import type { GraphQLResolveInfo } from 'graphql';
import { quantityOf } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { Resolvers } from '../../../generated/chain.ts';
import { resolveAccountAt, resolveBlockTimestamp, resolveContainingBlock } from '../links.ts';
import type { ChainLoaders } from '../load.ts';
import { logId } from '../model.ts';
import { transactionPlanByPosition } from '../transaction/plan.ts';
import { logCursorOf } from './cursor.ts';
import { transferPagePlan } from './plan.ts';

/** The largest amount of a token. */
const MAX_AMOUNT = 2n ** 256n - 1n;

/** Loads the selected fields of the transaction that emitted a log. */
const transactionOf = (log: RpcLog, chain: ChainLoaders, info: GraphQLResolveInfo) =>
  chain.transactions.completeTransaction(
    {
      hash: log.transactionHash,
      blockHash: log.blockHash ?? null,
      blockNumber: log.blockNumber ?? null,
      transactionIndex: log.transactionIndex ?? null,
    },
    transactionPlanByPosition(info),
  );

export const logResolvers = {
  /** Fields that this domain adds to `Token`. */
  Token: {
    transfers({ address }, args, { chain }, info) {
      const { nodes, edges } = transferPagePlan(info);
      return chain.logs.transfers(address, args, nodes, edges);
    },
  },
  /** Fields that this domain adds to `Duel`. */
  Duel: {
    startLog: (duel, _args, { chain }) => chain.duelLogs.start(duel),
    endLog: (duel, _args, { chain }) => chain.duelLogs.end(duel),
    async transaction(duel, _args, { chain }, info) {
      const log = await chain.duelLogs.start(duel);
      return log && transactionOf(log, chain, info);
    },
  },
  TokenTransferConnection: {
    totalAmount({ transfers }) {
      const sum = transfers.reduce((total, { amount }) => total + BigInt(amount), 0n);
      return quantityOf(sum < MAX_AMOUNT ? sum : MAX_AMOUNT);
    },
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
    transaction: (log, _args, { chain }, info) => transactionOf(log, chain, info),
    block: (log, _args, context, info) => resolveContainingBlock(log, context, info),
    blockTimestamp: resolveBlockTimestamp,
    removed: ({ removed }) => removed === true,
    cursor: logCursorOf,
  },
} satisfies Resolvers;
