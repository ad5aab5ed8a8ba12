import { toQuantity } from '../../ethereum/hex.ts';
import { countFilterValues } from '../../ethereum/log-filters.ts';
import {
  type ArgumentReader,
  BLOCK_LOGS_COST,
  DEFAULT_LIST_SIZE,
  FILTER_VALUE_COST,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  type HeightRange,
  type InputCost,
  type ListLength,
  LOG_SEARCH_COST,
  type PricingContext,
} from '../../graphql/pipeline/cost/field-cost.ts';
import { DEFAULT_MAX_BLOCKS } from './settings.ts';

/** Assumed transactions of a block, and logs of a block that match one filter: about those of a mainnet block. */
const TRANSACTIONS_PER_BLOCK = 200;
/** Assumed logs of one transaction. */
const LOGS_PER_TRANSACTION = 2;
/** Minimum gas of a transaction: with it, the gas used in a header bounds the number of transactions. */
const MIN_TRANSACTION_GAS = 21_000;
/** Assumed depth of a reorg. */
const BLOCKS_PER_REORG = 2;
/** Assumed logs of a useful filter. */
const LOGS_PER_SEARCH = 500;
/** Assumed distinct contracts of an operation's logs where the filter names none. */
const CONTRACTS_PER_OPERATION = 100;

/** Length of a logs bloom filter in hex. */
const BLOOM_CHARS = 514;
/** Typical lengths in hex, about the averages of mainnet. */
const LOG_DATA_CHARS = 128;
const INPUT_DATA_CHARS = 600;
const CODE_CHARS = 12_000;

const oneCall: FieldWeight = { calls: 1 };
/** An object whose key is known: only the fields selected on it have a cost. */
const link = FREE_FIELD;
const receiptField: FieldWeight = { needs: 'receipts' };
const oneBlock: FieldWeight = { calls: 1, returns: 'blocks' };
const knownBlock: FieldWeight = { ...oneBlock, knownFields: new Set(['number', 'hash', '__typename']) };

const maxBlocksOf = ({ limits }: PricingContext): number => limits.MAX_BLOCKS as number;

const heightOf = (value: unknown): number | undefined => {
  const quantity = toQuantity(value, 64);
  return quantity === undefined ? undefined : Number(quantity);
};

const lengthOf = ({ first, last }: HeightRange): number => Math.max(0, last - first + 1);

/** Returns an inclusive range that ends at the head at the latest, where the head is known; undefined when an end of the range is unknown. */
function rangeOf(first: number | undefined, last: number | undefined, head: number | undefined): HeightRange | undefined {
  const end = last === undefined ? head : Math.min(last, head ?? last);
  return first === undefined || end === undefined ? undefined : { first, last: end };
}

const blocksRange = (args: ArgumentReader, { facts }: PricingContext) =>
  rangeOf(heightOf(args('from')), heightOf(args('to')), facts.head);

/** The length of the list `blocks`; MAX_BLOCKS when the range has an open end and the head is unknown. */
function countOfBlocks(args: ArgumentReader, pricing: PricingContext): number {
  const maxBlocks = maxBlocksOf(pricing);
  const range = blocksRange(args, pricing);
  if (!range) return maxBlocks;
  // The field itself rejects an open range that is too long.
  return heightOf(args('to')) === undefined ? Math.min(maxBlocks, lengthOf(range)) : lengthOf(range);
}

/** The height of the field `block`; undefined for a hash, and for a tag other than LATEST. */
function namedBlock(args: ArgumentReader, { facts }: PricingContext): HeightRange | undefined {
  const isHead = !args('hash') && (args('tag') ?? 'LATEST') === 'LATEST';
  const height = heightOf(args('number')) ?? (isHead ? facts.head : undefined);
  return height === undefined ? undefined : { first: height, last: height };
}

/** One end of a log filter's range, by default the head; undefined when its height is unknown. */
function endOf(height: unknown, tag: unknown, head: number | undefined): number | undefined {
  if (height !== undefined && height !== null) return heightOf(height);
  if (tag === 'EARLIEST') return 0;
  return tag === 'SAFE' || tag === 'FINALIZED' ? undefined : head;
}

/** The number of blocks that a log filter searches, at most LOGS_PER_SEARCH: the assumed logs lie in no more blocks. */
const searchedBlocks = (args: ArgumentReader, { facts: { head } }: PricingContext): number => {
  const filter = (args('filter') ?? {}) as Record<string, unknown>;
  if (filter.blockHash) return 1;
  const range = rangeOf(endOf(filter.fromBlock, filter.fromBlockTag, head), endOf(filter.toBlock, filter.toBlockTag, head), head);
  return range ? Math.min(LOGS_PER_SEARCH, lengthOf(range)) : LOGS_PER_SEARCH;
};

/** The addresses in the list of an argument. Cached, since many fields can use one long list. */
const addressesOfLists = new WeakMap<readonly unknown[], readonly string[]>();

/** The contracts that a log filter names; undefined when it names none. */
const contractsOf = (args: ArgumentReader): readonly string[] | undefined => {
  const { addresses } = (args('filter') ?? {}) as { readonly addresses?: unknown };
  const list = Array.isArray(addresses) ? addresses : [addresses];
  const named = addressesOfLists.get(list) ?? list.filter((address) => typeof address === 'string');
  addressesOfLists.set(list, named);
  return named.length > 0 ? named : undefined;
};

/** The cost of the addresses and topics that a log filter names. */
const filterCost: InputCost = {
  argument: 'filter',
  fields: ['addresses', 'topics'],
  perValue: FILTER_VALUE_COST,
  count: ({ addresses, topics }) => countFilterValues(addresses, topics),
};

/** Transactions of one block: exact for a cached block, else bounded by the gas used. The assumption is the maximum, so that facts only lower a price. */
function transactionsAt(height: number, { facts }: PricingContext): number {
  const gas = facts.gasUsedAt(height);
  const known = facts.transactionsAt(height) ?? (gas === undefined ? undefined : Math.floor(gas / MIN_TRANSACTION_GAS));
  return Math.min(TRANSACTIONS_PER_BLOCK, known ?? TRANSACTIONS_PER_BLOCK);
}

/** Caches the result of `transactionsIn` per range, since many fields of a document share one range. */
const transactionsPerBlockCache = new WeakMap<HeightRange, number>();

/** Transactions per block of a range: the average, or the maximum where nested lists of one block multiply each other. */
function transactionsIn(_args: ArgumentReader, pricing: PricingContext, heights: HeightRange | undefined): number {
  const count = heights && lengthOf(heights);
  if (!count || count > maxBlocksOf(pricing)) return TRANSACTIONS_PER_BLOCK;
  const cached = transactionsPerBlockCache.get(heights);
  if (cached !== undefined) return cached;
  let [sum, max] = [0, 0];
  for (let height = heights.first; height <= heights.last; height++) {
    const transactions = transactionsAt(height, pricing);
    sum += transactions;
    max = Math.max(max, transactions);
  }
  const perBlock = heights.isNested ? max : sum / count;
  transactionsPerBlockCache.set(heights, perBlock);
  return perBlock;
}

const logsIn = (args: ArgumentReader, pricing: PricingContext, heights: HeightRange | undefined): number =>
  Math.min(TRANSACTIONS_PER_BLOCK, LOGS_PER_TRANSACTION * transactionsIn(args, pricing, heights));

const transactionList: FieldWeight = { size: { assumed: TRANSACTIONS_PER_BLOCK, of: transactionsIn }, isAssumed: true };
const foundLogs: ListLength = {
  assumed: LOGS_PER_SEARCH,
  of: (args, pricing) => Math.min(LOGS_PER_SEARCH, TRANSACTIONS_PER_BLOCK * searchedBlocks(args, pricing)),
};
const addressOf = (args: ArgumentReader): readonly string[] => [String(args('address'))];

/** Cost weights of the chain's fields. */
export const chainWeights: FieldWeights = {
  'Query.block': { ...oneBlock, heights: namedBlock },
  'Query.blocks': { ...oneBlock, size: { assumed: DEFAULT_MAX_BLOCKS, of: countOfBlocks }, heights: blocksRange },
  'Query.transaction': { calls: 1, returns: 'transactions' },
  'Query.receipt': { calls: 1, returns: 'transactions' },
  'Query.logs': {
    fixedCalls: LOG_SEARCH_COST,
    input: filterCost,
    size: foundLogs,
    isAssumed: true,
    returns: 'transactions',
    blockCount: searchedBlocks,
    addresses: contractsOf,
  },
  'Query.account': { addresses: addressOf },
  'Query.network': link,
  'Query.*': oneCall,
  // References to entities: those of an account and of a transaction cost what is selected on them.
  '_Entity.Account': link,
  '_Entity.Block': { ...oneBlock, knownFields: new Set(['number', '__typename']) },
  '_Entity.Transaction': { returns: 'transactions' },
  '_Entity.Receipt': { calls: 1, knownFields: new Set(['transactionHash', '__typename']), returns: 'transactions' },
  'Mutation.sendRawTransaction': oneCall,
  // The cost of a subscription is that of one event.
  'Subscription.newHeads': FREE_FIELD,
  'Subscription.reorgs': FREE_FIELD,
  'Subscription.logs': { returns: 'transactions' },
  'Subscription.pendingTransactions': { returns: 'transactions' },
  // One lookup by hash per new head.
  'Subscription.transactionStatus': { calls: 1, returns: 'transactions' },
  'TransactionStatusUpdate.receipt': oneCall,
  'TransactionStatusUpdate.succeeded': oneCall,
  'BlockHeader.miner': link,
  'BlockHeader.logsBloom': { chars: BLOOM_CHARS },
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  'Reorg.dropped': { size: BLOCKS_PER_REORG },
  'Reorg.added': { size: BLOCKS_PER_REORG },
  'Network.accounts': { fixedCalls: 1, size: DEFAULT_LIST_SIZE },
  'Network.*': oneCall,
  'Account.address': FREE_FIELD,
  'Account.code': { ...oneCall, chars: CODE_CHARS },
  'Account.*': oneCall,
  'Block.miner': link,
  'Block.logsBloom': { chars: BLOOM_CHARS },
  // The head and the finalized block are read once for all operations.
  'Block.confirmations': FREE_FIELD,
  'Block.finalized': FREE_FIELD,
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, and the node's own prediction when there is none.
  'Block.nextBaseFeePerGas': { calls: 2 },
  'Block.transactions': transactionList,
  'Block.transactionHashes': transactionList,
  'Block.transactionAt': { calls: 1, returns: 'transactions' },
  'Block.receipts': { ...transactionList, needs: 'receipts' },
  'Block.logs': {
    fixedCalls: BLOCK_LOGS_COST,
    input: filterCost,
    size: { assumed: TRANSACTIONS_PER_BLOCK, of: logsIn },
    isAssumed: true,
    addresses: contractsOf,
  },
  'Block.withdrawals': { size: 16 },
  'Block.account': { addresses: addressOf },
  // The hash and position of a transaction are known with its block.
  'Transaction.hash': FREE_FIELD,
  'Transaction.index': FREE_FIELD,
  'Transaction.blockHash': FREE_FIELD,
  'Transaction.blockNumber': FREE_FIELD,
  'Transaction.block': knownBlock,
  'Transaction.status': receiptField,
  'Transaction.gasUsed': receiptField,
  'Transaction.cumulativeGasUsed': receiptField,
  'Transaction.effectiveGasPrice': receiptField,
  'Transaction.blobGasUsed': receiptField,
  'Transaction.blobGasPrice': receiptField,
  'Transaction.createdContract': receiptField,
  'Transaction.receipt': receiptField,
  'Transaction.logs': { needs: 'receipts', size: LOGS_PER_TRANSACTION },
  'Transaction.inputData': { needs: 'fullTransactions', chars: INPUT_DATA_CHARS },
  'Transaction.*': { needs: 'fullTransactions' },
  'Receipt.logsBloom': { chars: BLOOM_CHARS },
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
  'Log.data': { chars: LOG_DATA_CHARS },
};
