import { listOrNull } from '../../../ethereum/decoders.ts';
import { quantityOf, toBigInt, toIsoTimestamp } from '../../../ethereum/hex.ts';
import type { ArbitrumBlock, Resolvers } from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import { resolveCall, toCallAtBlock } from '../call/resolve.ts';
import { loadBlock, resolveAccount, resolveAccountAt, resolveBlockAt, resolveContainingBlock } from '../links.ts';
import { type ChainBlock, hashId, lengthOrNull, partialBlock, rollupPart } from '../model.ts';
import { transactionPlanByPosition } from '../transaction/plan.ts';
import { headerDefaults, NO_HASH } from './header-defaults.ts';
import { BLOCK_REF_FIELDS } from './plan.ts';

/** The reference at which the state of a block is read: its height if the node omits the block's hash. */
const stateOf = ({ hash, number }: ChainBlock) => ({ at: hash ?? number, height: number });

export const blockResolvers = {
  BlockHeader: {
    ommerHash: ({ sha3Uncles }) => sha3Uncles!,
    miner: ({ miner }, { block }, context, info) => resolveAccountAt(miner, block, context, info),
    block: ({ number, hash }, _args, context, info) =>
      resolveContainingBlock({ blockNumber: number, blockHash: hash }, context, info),
  },
  Reorg: {
    commonAncestor: ({ commonAncestor }, _args, context, info) => resolveContainingBlock(commonAncestor, context, info),
  },
  Block: {
    ...headerDefaults,
    __resolveReference: ({ number }, context, info) => resolveBlockAt(number, context, info),
    id: ({ hash }) => hashId(hash),
    parent: ({ parentHash, number }, _args, { chain }, info) => {
      if (parentHash === NO_HASH) return null;
      if (selectionOf(info).hasOnly(BLOCK_REF_FIELDS)) {
        return partialBlock({ hash: parentHash, number: quantityOf(toBigInt(number) - 1n) });
      }
      return loadBlock(parentHash, chain, info);
    },
    confirmations: ({ number, hash }, _args, { chain }) => chain.finality.confirmations(number, hash),
    finalized: ({ number, hash }, _args, { chain }) => chain.finality.finalized(number, hash),
    transactionCount: (block) => block.transactionCount ?? lengthOrNull(block.transactions),
    miner: ({ miner }, { block }, context, info) => resolveAccountAt(miner, block, context, info)!,
    nextBaseFeePerGas: (block, _args, { chain }) => chain.node.nextBaseFee(block),
    timestampISO: ({ timestamp }) => toIsoTimestamp(timestamp),
    ommerCount: (block) => block.ommerCount ?? lengthOrNull(block.uncles),
    // A failed entry does not fail the list. The executor accepts promises of null, but the generated type does not.
    ommers: (block, _args, { chain }) =>
      listOrNull(block.uncles)?.map((_hash, i) => chain.blocks.loader.ommer(block, quantityOf(i)) as Promise<ChainBlock>) ?? null,
    ommerAt: (block, { index }, { chain }) => chain.blocks.loader.ommer(block, index),
    transactions: (block, _args, { chain }) => chain.blocks.transactionsIn(block),
    transactionHashes: (block, _args, { chain }) => chain.blocks.transactionsIn(block)?.map(({ hash }) => hash) ?? null,
    transactionAt: (block, { index }, { chain }, info) =>
      chain.blocks.transactionIn(block, index, transactionPlanByPosition(info)),
    transactionsConnection: (block, args, { chain }) => chain.ranges.transactionPage(block, args),
    receipts: (block, _args, { chain }) => chain.blocks.receiptsIn(block),
    logs: (block, { filter }, { chain }) => chain.blocks.logsIn(block, filter),
    account: (block, { address }, context, info) => resolveAccount({ address, ...stateOf(block) }, context, info),
    call: (block, { data }, context, info) => resolveCall(data, stateOf(block), context, info),
    estimateGas: (block, { data }, { chain }) => chain.calls.estimateGas(toCallAtBlock(data, stateOf(block))),
    arbitrum: rollupPart<ArbitrumBlock>('l1BlockNumber'),
    accessList: (block, _args, { chain }) => chain.encodings.accessList(block),
    rawHeader: (block, _args, { chain }) => chain.encodings.rawHeader(block),
    raw: (block, _args, { chain }) => chain.encodings.rawBlock(block),
    traces: (block, _args, { chain }) => chain.traces.callsIn(block),
    executionTraces: (block, options, { chain }) => chain.traces.executionsIn(block, options),
  },
  SlotChanges: { slot: ({ key }) => key },
  Withdrawal: { validator: ({ validatorIndex }) => validatorIndex },
} satisfies Resolvers;
