import { toQuantity } from '../evm/hex.ts';

/**
 * What an operation may cost, and what one of its lists may be: the settings of these names. The unit of cost is one small call
 * to the node, such as a balance.
 */
export interface CostLimits {
  readonly MAX_COST: number;
  readonly MAX_BLOCKS: number;
}

/** A value in the answer: a hundred of them are about as much work, here, as one small call. */
export const LEAF = 0.01;
/** A list of which nothing else is known, such as those of introspection. */
export const LIST = 10;
/** A block of mainnet has about so many transactions, and as many logs of one kind; the dearest calls give all of a block. */
const IN_BLOCK = 200;
export const WHOLE_BLOCK = 20;
/** Logs by filter: the node searches an index over many blocks. A filter that anybody can use finds some hundreds. */
const SEARCH = 20;
const FOUND = 500;

export type Args = (name: string) => unknown;

/** What one field costs. Nothing at all is what a value costs that comes with the object that it is a field of. */
export interface Weight {
  /** Small calls for each object that has the field; with `size`, for each item of the list. */
  readonly calls?: number;
  /** Calls for each object, whatever the list brings. */
  readonly search?: number;
  /** Items in the list. */
  readonly size?: number | ((args: Args, limits: CostLimits) => number);
  /** What is fetched once for all that lies in a block: whole transactions, or receipts. */
  readonly needs?: 'whole' | 'receipts';
  /** The field leads to blocks, or to transactions that are fetched one by one. */
  readonly leads?: 'to blocks' | 'to transactions';
  /** The block's number and hash are known without a call. */
  readonly known?: true;
  /** How many blocks the items of a list lie in, when it is not one. */
  readonly blocks?: (args: Args, limits: CostLimits) => number;
}

const call: Weight = { calls: 1 };
export const free: Weight = {};
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

/** The table of weights, by field; `*` is every other field of the type. What is in neither is free. */
export const WEIGHTS: Readonly<Record<string, Weight>> = {
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
  'Query.__schema': free,
  'Query.__type': free,
  'Query.*': call,
  'Mutation.sendRawTransaction': call,
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
  '__Schema.types': { size: 50 },
};
