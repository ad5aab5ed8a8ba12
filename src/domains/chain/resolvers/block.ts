import { quantityOf } from '../../../evm/hex.ts';
import { isoOf } from '../../../evm/time.ts';
import type { BlockResolvers, WithdrawalResolvers } from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import { blockPart, type ChainBlock } from '../model.ts';
import { blockPlan, KNOWN_BY_POSITION, transactionPlan } from '../plan.ts';
import { accountAt } from './links.ts';

const HASH: ReadonlySet<string> = new Set(['hash']);
const GENESIS_PARENT = `0x${'0'.repeat(64)}`;

const countOf = (list: readonly unknown[] | null | undefined) => (list ? quantityOf(list.length) : null);

export const Block: BlockResolvers = {
  parent: ({ parentHash }, _args, { chain }, info) => {
    if (parentHash === GENESIS_PARENT) return null;
    return selectionOf(info).within(HASH) ? blockPart({ hash: parentHash }) : chain.block(parentHash, blockPlan(info));
  },
  transactionCount: (block) => block.transactionCount ?? countOf(block.transactions),
  miner: ({ miner }, { block }) => accountAt(miner, block)!,
  nextBaseFeePerGas: (block, _args, { chain }) => chain.nextBaseFee(block),
  timestampISO: ({ timestamp }) => isoOf(timestamp),
  ommerCount: (block) => block.ommerCount ?? countOf(block.uncles),
  // Each entry fails alone. The generated type has no promise of null, the executor has.
  ommers: (block, _args, { chain }) =>
    block.uncles?.map((_hash, i) => chain.ommer(block, quantityOf(i)) as Promise<ChainBlock>) ?? null,
  ommerAt: (block, { index }, { chain }) => chain.ommer(block, index),
  ommerHash: ({ sha3Uncles }) => sha3Uncles,
  ommerHashes: ({ uncles }) => uncles ?? null,
  transactions: (block, _args, { chain }) => chain.transactionsIn(block),
  transactionHashes: (block, _args, { chain }) => chain.transactionsIn(block)?.map(({ hash }) => hash) ?? null,
  transactionAt: (block, { index }, { chain }, info) =>
    chain.transactionIn(block, index, transactionPlan(info, KNOWN_BY_POSITION)),
  receipts: (block, _args, { chain }) => chain.receiptsIn(block),
  logs: (block, { filter }, { chain }) => chain.logsIn(block, filter),
  account: ({ hash, number }, { address }) => ({ address, at: hash, height: number }),
};

export const Withdrawal: WithdrawalResolvers = {
  validator: ({ validatorIndex }) => validatorIndex,
};
