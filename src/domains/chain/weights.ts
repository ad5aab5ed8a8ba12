import { toQuantity } from '../../evm/hex.ts';
import { type Args, free, LIST, type Weight, type Weights } from '../../graphql/limits-weights.ts';

/** A block of mainnet has about so many transactions, and as many logs of one kind. */
const IN_BLOCK = 200;
/** Most reorgs are of one block or two. */
const IN_REORG = 2;
/** Logs by filter: the node searches an index over many blocks. A filter that anybody can use finds some hundreds. */
const SEARCH = 20;
const FOUND = 500;

const call: Weight = { calls: 1 };
const ofReceipt: Weight = { needs: 'receipts' };
const oneBlock: Weight = { calls: 1, leads: 'to blocks' };
const knownBlock: Weight = { ...oneBlock, known: true };

const heightOf = (value: unknown): number | undefined => {
  const quantity = toQuantity(value, 64);
  return quantity === undefined ? undefined : Number(quantity);
};

/** Heights of an inclusive range; the most there can be when an end is open. */
const span = (from: unknown, to: unknown, most: number): number => {
  const [first, last] = [heightOf(from), heightOf(to)];
  return first === undefined || last === undefined ? most : Math.max(0, last - first + 1);
};

const searched = (args: Args): number => {
  const { fromBlock, toBlock, blockHash } = (args('filter') ?? {}) as Record<string, unknown>;
  return blockHash ? 1 : Math.min(FOUND, span(fromBlock, toBlock, FOUND));
};

/** What the fields of the chain cost. */
export const weights: Weights = {
  'Query.block': oneBlock,
  'Query.blocks': { ...oneBlock, size: (args, { MAX_BLOCKS }) => span(args('from'), args('to'), MAX_BLOCKS) },
  'Query.transaction': { calls: 1, leads: 'to transactions' },
  'Query.receipt': { calls: 1, leads: 'to transactions' },
  'Query.logs': {
    search: SEARCH,
    size: (args) => Math.min(FOUND, IN_BLOCK * searched(args)),
    leads: 'to transactions',
    blocks: searched,
  },
  // Its fields are what costs.
  'Query.account': free,
  'Query.network': free,
  'Query.*': call,
  'Mutation.sendRawTransaction': call,
  // Of a subscription, what each event costs.
  'Subscription.logs': { leads: 'to transactions' },
  'Subscription.pendingTransactions': { leads: 'to transactions' },
  // It is looked for by its hash, with each new head.
  'Subscription.transactionStatus': { calls: 1, leads: 'to transactions' },
  'TransactionStatusUpdate.receipt': call,
  'TransactionStatusUpdate.succeeded': call,
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  'Reorg.dropped': { size: IN_REORG },
  'Reorg.added': { size: IN_REORG },
  'Network.accounts': { search: 1, size: LIST },
  'Network.*': call,
  'Account.address': free,
  'Account.*': call,
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, and the node's reckoning when there is none.
  'Block.nextBaseFeePerGas': { calls: 2 },
  'Block.transactions': { size: IN_BLOCK },
  'Block.transactionHashes': { size: IN_BLOCK },
  'Block.transactionAt': { calls: 1, leads: 'to transactions' },
  'Block.receipts': { size: IN_BLOCK, needs: 'receipts' },
  // A twelfth of the work of the block's receipts.
  'Block.logs': { search: 2, size: IN_BLOCK },
  'Block.withdrawals': { size: 16 },
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
  'Transaction.logs': { needs: 'receipts', size: 2 },
  'Transaction.*': { needs: 'whole' },
  'Receipt.logs': { size: 2 },
  'Receipt.block': knownBlock,
  'Log.block': knownBlock,
  'Log.topics': { size: 3 },
};
