import { toQuantity } from '../../ethereum/hex.ts';
import {
  type Args,
  BLOCK_LOGS,
  free,
  type HeightRange,
  LIST,
  LOG_SEARCH,
  type Pricing,
  type Weight,
  type Weights,
} from '../../graphql/pipeline/cost/field-cost.ts';

/** A block of mainnet has about so many transactions, and as many logs of one kind. */
const IN_BLOCK = 200;
/** Logs of one transaction. */
const LOGS = 2;
/** No transaction uses less gas, so that a header bounds the number of transactions. */
const LEAST_GAS = 21_000;
/** Most reorgs are of one block or two. */
const IN_REORG = 2;
/** A filter that anybody can use finds some hundreds of logs. */
const FOUND = 500;
/** The logs of an operation are of about so many contracts, where the filter names none. */
const CONTRACTS = 100;

const call: Weight = { calls: 1 };
/** An object by its key, which is known: its own fields are what costs. */
const link = free;
const ofReceipt: Weight = { needs: 'receipts' };
const oneBlock: Weight = { calls: 1, leads: 'to blocks' };
const knownBlock: Weight = { ...oneBlock, known: new Set(['number', 'hash', '__typename']) };

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

const blocksRange = (args: Args, { facts }: Pricing) => rangeOf(heightOf(args('from')), heightOf(args('to')), facts.head);

/** How many blocks `blocks` returns; as many as it may, when an end is open and the head is not known. */
function countOfBlocks(args: Args, pricing: Pricing): number {
  const { MAX_BLOCKS } = pricing.limits;
  const range = blocksRange(args, pricing);
  if (!range) return MAX_BLOCKS;
  // An open range that is too long is refused by its own field.
  return heightOf(args('to')) === undefined ? Math.min(MAX_BLOCKS, lengthOf(range)) : lengthOf(range);
}

/** The block of `block`, which is the head when nothing else is named. */
function namedBlock(args: Args, { facts }: Pricing): HeightRange | undefined {
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
const searched = (args: Args, { facts: { head } }: Pricing): number => {
  const filter = (args('filter') ?? {}) as Record<string, unknown>;
  if (filter.blockHash) return 1;
  const range = rangeOf(endOf(filter.fromBlock, filter.fromBlockTag, head), endOf(filter.toBlock, filter.toBlockTag, head), head);
  return range ? Math.min(FOUND, lengthOf(range)) : FOUND;
};

/** The contracts that a log filter names; undefined when it takes those of all. */
const contractsOf = (args: Args): readonly string[] | undefined => {
  const { addresses } = (args('filter') ?? {}) as { readonly addresses?: unknown };
  const named = (Array.isArray(addresses) ? addresses : [addresses]).filter((address) => typeof address === 'string');
  return named.length > 0 ? named : undefined;
};

/** Transactions in one block: those of a cached block, else as many as its gas allows, else an assumption. */
function transactionsAt(height: number, { facts }: Pricing): number {
  const exact = facts.transactionsAt(height);
  if (exact !== undefined) return exact;
  const gas = facts.gasUsedAt(height);
  return gas === undefined ? IN_BLOCK : Math.min(IN_BLOCK, Math.floor(gas / LEAST_GAS));
}

/** What was found of the ranges of one estimate, whose fields are as many as the document has. */
const counted = new WeakMap<HeightRange, number>();

/** Transactions in each of some blocks: on average, and at most where the lists of one block multiply each other. */
function transactionsIn(_args: Args, pricing: Pricing, heights: HeightRange | undefined): number {
  const count = heights && lengthOf(heights);
  if (!count || count > pricing.limits.MAX_BLOCKS) return IN_BLOCK;
  const before = counted.get(heights);
  if (before !== undefined) return before;
  let [sum, most] = [0, 0];
  for (let height = heights.first; height <= heights.last; height++) {
    const transactions = transactionsAt(height, pricing);
    sum += transactions;
    most = Math.max(most, transactions);
  }
  const found = heights.isNested ? most : sum / count;
  counted.set(heights, found);
  return found;
}

const logsIn = (args: Args, pricing: Pricing, heights: HeightRange | undefined): number =>
  Math.min(IN_BLOCK, LOGS * transactionsIn(args, pricing, heights));

const ofBlock: Weight = { size: transactionsIn, isAssumed: true };
const addressOf = (args: Args): readonly string[] => [String(args('address'))];

/** What the fields of the chain cost. */
export const weights: Weights = {
  'Query.block': { ...oneBlock, heights: namedBlock },
  'Query.blocks': { ...oneBlock, size: countOfBlocks, heights: blocksRange },
  'Query.transaction': { calls: 1, leads: 'to transactions' },
  'Query.receipt': { calls: 1, leads: 'to transactions' },
  'Query.logs': {
    search: LOG_SEARCH,
    size: (args, pricing) => Math.min(FOUND, IN_BLOCK * searched(args, pricing)),
    isAssumed: true,
    leads: 'to transactions',
    blocks: searched,
    names: contractsOf,
  },
  'Query.account': { names: addressOf },
  'Query.network': link,
  'Query.*': call,
  'Mutation.sendRawTransaction': call,
  // Of a subscription, what each event costs.
  'Subscription.newHeads': free,
  'Subscription.reorgs': free,
  'Subscription.logs': { leads: 'to transactions' },
  'Subscription.pendingTransactions': { leads: 'to transactions' },
  // It is looked for by its hash, with each new head.
  'Subscription.transactionStatus': { calls: 1, leads: 'to transactions' },
  'TransactionStatusUpdate.receipt': call,
  'TransactionStatusUpdate.succeeded': call,
  'BlockHeader.miner': link,
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  'Reorg.dropped': { size: IN_REORG },
  'Reorg.added': { size: IN_REORG },
  'Network.accounts': { search: 1, size: LIST },
  'Network.*': call,
  'Account.address': free,
  'Account.*': call,
  'Block.miner': link,
  // The head and the finalized block are read once for all operations.
  'Block.confirmations': free,
  'Block.finalized': free,
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, and the node's reckoning when there is none.
  'Block.nextBaseFeePerGas': { calls: 2 },
  'Block.transactions': ofBlock,
  'Block.transactionHashes': ofBlock,
  'Block.transactionAt': { calls: 1, leads: 'to transactions' },
  'Block.receipts': { ...ofBlock, needs: 'receipts' },
  'Block.logs': { search: BLOCK_LOGS, size: logsIn, isAssumed: true, names: contractsOf },
  'Block.withdrawals': { size: 16 },
  'Block.account': { names: addressOf },
  // The hash and position of a transaction are known with its block.
  'Transaction.hash': free,
  'Transaction.index': free,
  'Transaction.blockHash': free,
  'Transaction.blockNumber': free,
  'Transaction.block': knownBlock,
  'Transaction.status': ofReceipt,
  'Transaction.gasUsed': ofReceipt,
  'Transaction.cumulativeGasUsed': ofReceipt,
  'Transaction.effectiveGasPrice': ofReceipt,
  'Transaction.blobGasUsed': ofReceipt,
  'Transaction.blobGasPrice': ofReceipt,
  'Transaction.createdContract': ofReceipt,
  'Transaction.receipt': ofReceipt,
  'Transaction.logs': { needs: 'receipts', size: LOGS },
  'Transaction.*': { needs: 'whole' },
  'Receipt.transaction': link,
  'Receipt.from': link,
  'Receipt.to': link,
  'Receipt.contract': link,
  'Receipt.logs': { size: LOGS, names: contractsOf },
  'Receipt.block': knownBlock,
  'Log.account': { names: 'same', distinct: CONTRACTS },
  'Log.transaction': link,
  'Log.block': knownBlock,
  'Log.topics': { size: 3 },
};
