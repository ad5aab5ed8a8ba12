import { toQuantity } from '../../ethereum/hex.ts';
import {
  type ArgumentReader,
  BLOCK_LOGS_COST,
  DEFAULT_LIST_SIZE,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  type HeightRange,
  LOG_SEARCH_COST,
  type PricingContext,
} from '../../graphql/pipeline/cost/field-cost.ts';

/** A block of mainnet has about so many transactions, and as many logs of one kind. */
const TRANSACTIONS_PER_BLOCK = 200;
/** Logs of one transaction. */
const LOGS_PER_TRANSACTION = 2;
/** No transaction uses less gas, so that a header bounds the number of transactions. */
const MIN_TRANSACTION_GAS = 21_000;
/** Most reorgs are of one block or two. */
const BLOCKS_PER_REORG = 2;
/** A filter that anybody can use finds some hundreds of logs. */
const LOGS_PER_SEARCH = 500;
/** The logs of an operation are of about so many contracts, where the filter names none. */
const CONTRACTS_PER_OPERATION = 100;

const oneCall: FieldWeight = { calls: 1 };
/** An object by its key, which is known: its own fields are what costs. */
const link = FREE_FIELD;
const ofReceipt: FieldWeight = { needs: 'receipts' };
const oneBlock: FieldWeight = { calls: 1, leadsTo: 'to blocks' };
const knownBlock: FieldWeight = { ...oneBlock, knownFields: new Set(['number', 'hash', '__typename']) };

const maxBlocksOf = ({ limits }: PricingContext): number => limits.MAX_BLOCKS as number;

const heightOf = (value: unknown): number | undefined => {
  const quantity = toQuantity(value, 64);
  return quantity === undefined ? undefined : Number(quantity);
};

const lengthOf = ({ first, last }: HeightRange): number => Math.max(0, last - first + 1);

/** The blocks of an inclusive range, which ends at the head where that is known; undefined when an end of it is not. */
function rangeOf(first: number | undefined, last: number | undefined, head: number | undefined): HeightRange | undefined {
  const end = last === undefined ? head : Math.min(last, head ?? last);
  return first === undefined || end === undefined ? undefined : { first, last: end };
}

const blocksRange = (args: ArgumentReader, { facts }: PricingContext) =>
  rangeOf(heightOf(args('from')), heightOf(args('to')), facts.head);

/** How many blocks `blocks` returns; as many as it may, when an end is open and the head is not known. */
function countOfBlocks(args: ArgumentReader, pricing: PricingContext): number {
  const maxBlocks = maxBlocksOf(pricing);
  const range = blocksRange(args, pricing);
  if (!range) return maxBlocks;
  // An open range that is too long is refused by its own field.
  return heightOf(args('to')) === undefined ? Math.min(maxBlocks, lengthOf(range)) : lengthOf(range);
}

/** The block of `block`, which is the head when nothing else is named. */
function namedBlock(args: ArgumentReader, { facts }: PricingContext): HeightRange | undefined {
  const isHead = !args('hash') && (args('tag') ?? 'LATEST') === 'LATEST';
  const height = heightOf(args('number')) ?? (isHead ? facts.head : undefined);
  return height === undefined ? undefined : { first: height, last: height };
}

/** An end of the range of a log filter, which is the head when nothing else is named; undefined when it is not known. */
function endOf(height: unknown, tag: unknown, head: number | undefined): number | undefined {
  if (height !== undefined && height !== null) return heightOf(height);
  if (tag === 'EARLIEST') return 0;
  return tag === 'SAFE' || tag === 'FINALIZED' ? undefined : head;
}

/** How many blocks a log filter searches, as far as logs of some hundreds can lie in them. */
const searchedBlocks = (args: ArgumentReader, { facts: { head } }: PricingContext): number => {
  const filter = (args('filter') ?? {}) as Record<string, unknown>;
  if (filter.blockHash) return 1;
  const range = rangeOf(endOf(filter.fromBlock, filter.fromBlockTag, head), endOf(filter.toBlock, filter.toBlockTag, head), head);
  return range ? Math.min(LOGS_PER_SEARCH, lengthOf(range)) : LOGS_PER_SEARCH;
};

/** The contracts that a log filter names; undefined when it takes those of all. */
const contractsOf = (args: ArgumentReader): readonly string[] | undefined => {
  const { addresses } = (args('filter') ?? {}) as { readonly addresses?: unknown };
  const named = (Array.isArray(addresses) ? addresses : [addresses]).filter((address) => typeof address === 'string');
  return named.length > 0 ? named : undefined;
};

/** Transactions in one block: those of a cached block, else as many as its gas allows, else an assumption. */
function transactionsAt(height: number, { facts }: PricingContext): number {
  const exact = facts.transactionsAt(height);
  if (exact !== undefined) return exact;
  const gas = facts.gasUsedAt(height);
  return gas === undefined ? TRANSACTIONS_PER_BLOCK : Math.min(TRANSACTIONS_PER_BLOCK, Math.floor(gas / MIN_TRANSACTION_GAS));
}

/** What was found of the ranges of one estimate, whose fields are as many as the document has. */
const transactionsPerBlockCache = new WeakMap<HeightRange, number>();

/** Transactions in each of some blocks: on average, and at most where the lists of one block multiply each other. */
function transactionsIn(_args: ArgumentReader, pricing: PricingContext, heights: HeightRange | undefined): number {
  const count = heights && lengthOf(heights);
  if (!count || count > maxBlocksOf(pricing)) return TRANSACTIONS_PER_BLOCK;
  const before = transactionsPerBlockCache.get(heights);
  if (before !== undefined) return before;
  let [sum, most] = [0, 0];
  for (let height = heights.first; height <= heights.last; height++) {
    const transactions = transactionsAt(height, pricing);
    sum += transactions;
    most = Math.max(most, transactions);
  }
  const found = heights.isNested ? most : sum / count;
  transactionsPerBlockCache.set(heights, found);
  return found;
}

const logsIn = (args: ArgumentReader, pricing: PricingContext, heights: HeightRange | undefined): number =>
  Math.min(TRANSACTIONS_PER_BLOCK, LOGS_PER_TRANSACTION * transactionsIn(args, pricing, heights));

const ofBlock: FieldWeight = { size: transactionsIn, isAssumed: true };
const addressOf = (args: ArgumentReader): readonly string[] => [String(args('address'))];

/** What the fields of the chain cost. */
export const chainWeights: FieldWeights = {
  'Query.block': { ...oneBlock, heights: namedBlock },
  'Query.blocks': { ...oneBlock, size: countOfBlocks, heights: blocksRange },
  'Query.transaction': { calls: 1, leadsTo: 'to transactions' },
  'Query.receipt': { calls: 1, leadsTo: 'to transactions' },
  'Query.logs': {
    fixedCalls: LOG_SEARCH_COST,
    size: (args, pricing) => Math.min(LOGS_PER_SEARCH, TRANSACTIONS_PER_BLOCK * searchedBlocks(args, pricing)),
    isAssumed: true,
    leadsTo: 'to transactions',
    blockCount: searchedBlocks,
    addresses: contractsOf,
  },
  'Query.account': { addresses: addressOf },
  'Query.network': link,
  'Query.*': oneCall,
  'Mutation.sendRawTransaction': oneCall,
  // Of a subscription, what each event costs.
  'Subscription.newHeads': FREE_FIELD,
  'Subscription.reorgs': FREE_FIELD,
  'Subscription.logs': { leadsTo: 'to transactions' },
  'Subscription.pendingTransactions': { leadsTo: 'to transactions' },
  // It is looked for by its hash, with each new head.
  'Subscription.transactionStatus': { calls: 1, leadsTo: 'to transactions' },
  'TransactionStatusUpdate.receipt': oneCall,
  'TransactionStatusUpdate.succeeded': oneCall,
  'BlockHeader.miner': link,
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  'Reorg.dropped': { size: BLOCKS_PER_REORG },
  'Reorg.added': { size: BLOCKS_PER_REORG },
  'Network.accounts': { fixedCalls: 1, size: DEFAULT_LIST_SIZE },
  'Network.*': oneCall,
  'Account.address': FREE_FIELD,
  'Account.*': oneCall,
  'Block.miner': link,
  // The head and the finalized block are read once for all operations.
  'Block.confirmations': FREE_FIELD,
  'Block.finalized': FREE_FIELD,
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, and the node's reckoning when there is none.
  'Block.nextBaseFeePerGas': { calls: 2 },
  'Block.transactions': ofBlock,
  'Block.transactionHashes': ofBlock,
  'Block.transactionAt': { calls: 1, leadsTo: 'to transactions' },
  'Block.receipts': { ...ofBlock, needs: 'receipts' },
  'Block.logs': { fixedCalls: BLOCK_LOGS_COST, size: logsIn, isAssumed: true, addresses: contractsOf },
  'Block.withdrawals': { size: 16 },
  'Block.account': { addresses: addressOf },
  // The hash and position of a transaction are known with its block.
  'Transaction.hash': FREE_FIELD,
  'Transaction.index': FREE_FIELD,
  'Transaction.blockHash': FREE_FIELD,
  'Transaction.blockNumber': FREE_FIELD,
  'Transaction.block': knownBlock,
  'Transaction.status': ofReceipt,
  'Transaction.gasUsed': ofReceipt,
  'Transaction.cumulativeGasUsed': ofReceipt,
  'Transaction.effectiveGasPrice': ofReceipt,
  'Transaction.blobGasUsed': ofReceipt,
  'Transaction.blobGasPrice': ofReceipt,
  'Transaction.createdContract': ofReceipt,
  'Transaction.receipt': ofReceipt,
  'Transaction.logs': { needs: 'receipts', size: LOGS_PER_TRANSACTION },
  'Transaction.*': { needs: 'whole' },
  'Receipt.transaction': link,
  'Receipt.from': link,
  'Receipt.to': link,
  'Receipt.contract': link,
  'Receipt.logs': { size: LOGS_PER_TRANSACTION, addresses: contractsOf },
  'Receipt.block': knownBlock,
  'Log.account': { addresses: 'same', assumedDistinct: CONTRACTS_PER_OPERATION },
  'Log.transaction': link,
  'Log.block': knownBlock,
  'Log.topics': { size: 3 },
};
