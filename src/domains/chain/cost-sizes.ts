import {
  CALL_EXECUTION_COST,
  FILTER_VALUE_COST,
  LOG_SEARCH_COST,
  RECEIPT_IN_BLOCK_COST,
  SIMULATED_BLOCK_COST,
  WHOLE_BLOCK_COST,
} from '../../ethereum/call-costs.ts';
import { toQuantity } from '../../ethereum/hex.ts';
import { countFilterValues } from '../../ethereum/log-filters.ts';
import { DEFAULT_PAGE_SIZE } from '../../graphql/connections.ts';
import {
  type ArgumentReader,
  type CallCount,
  type ListLength,
  type PricingContext,
  statedSize,
} from '../../graphql/cost/field-cost.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import type { OperationFacts } from '../../operation/request.ts';
import { MAX_STORAGE_KEYS } from './account/methods.ts';
import { MAX_STORAGE_VALUES } from './account/storage-values.ts';
import type { BlockRange } from './block/range-reads.ts';

/** Assumed transactions of a block, and logs of a block that match one filter: about the averages of a mainnet block. */
export const TRANSACTIONS_PER_BLOCK = 200;
/** Assumed logs of one transaction. */
export const LOGS_PER_TRANSACTION = 2;
/** Assumed calls inside a transaction, and accounts and slots that it changes: about the averages of mainnet. */
export const CALLS_PER_TRANSACTION = 10;
export const ACCOUNTS_PER_DIFF = 5;
/** Assumed steps of an execution. It can have a million, so that the size of the response is the limit. */
export const STEPS_PER_TRANSACTION = 20;
export const STACK_WORDS = 8;
/** Maximum number of calls of a search for a block by its time. */
export const TIME_SEARCH_COST = 25;
/** Assumed depth of a reorg. */
export const BLOCKS_PER_REORG = 2;
/** Assumed logs of a useful filter. */
const LOGS_PER_SEARCH = 500;
/** Assumed distinct contracts of an operation's logs if the filter names no contract. */
export const CONTRACTS_PER_OPERATION = 100;

/** Length of a logs bloom filter in hex. */
export const BLOOM_CHARS = 514;
/** Typical lengths in hex, about the averages of mainnet. */
export const LOG_DATA_CHARS = 128;
export const INPUT_DATA_CHARS = 600;
/** Assumed arguments of a decoded call. */
export const ARGUMENTS_PER_CALL = 4;
/** Assumed outputs of a read function. */
export const OUTPUTS_PER_READ = 2;
/** Assumed characters of an argument: about a quarter of the input data. Costs 0.025 exactly, because the weights of routers have three decimals. */
export const ARGUMENT_CHARS = 160;
export const CODE_CHARS = 12_000;

/** Typical number of nodes of a proof, and hex digits of a node. */
export const NODES_PER_PROOF = 8;
export const NODE_CHARS = 800;
/** Typical lengths of encodings in hex: a header and a receipt contain a bloom filter, a log an address and topics. */
export const HEADER_CHARS = BLOOM_CHARS + 700;
export const TRANSACTION_CHARS = INPUT_DATA_CHARS + 400;
export const RECEIPT_CHARS = BLOOM_CHARS + LOGS_PER_TRANSACTION * (LOG_DATA_CHARS + 250);

/** The setting MAX_BLOCKS. */
export const maxBlocksOf = ({ limits }: PricingContext): number => limits.MAX_BLOCKS as number;

const factsOf = ({ facts = {} }: PricingContext): OperationFacts => facts as OperationFacts;

const heightOf = (value: unknown): number | undefined => {
  const quantity = toQuantity(value, 64);
  return quantity === undefined ? undefined : Number(quantity);
};

const lengthOf = ({ first, last }: BlockRange): number => Math.max(0, last - first + 1);

/**
 * Returns an inclusive range that is cut at the head if the head is known; undefined when an end of the range is
 * unknown.
 */
function rangeOf(first: number | undefined, last: number | undefined, head: number | undefined): BlockRange | undefined {
  const end = last === undefined ? head : Math.min(last, head ?? last);
  return first === undefined || end === undefined ? undefined : { first, last: end };
}

/** The length of the list `blocks`; MAX_BLOCKS when the range has an open end and the head is unknown. */
export function countOfBlocks(args: ArgumentReader, pricing: PricingContext): number {
  const maxBlocks = maxBlocksOf(pricing);
  const { head } = factsOf(pricing);
  const named = args('numbers') ?? args('hashes');
  if (Array.isArray(named)) return Math.min(maxBlocks, named.length);
  const last = args('last') ?? undefined;
  if (last !== undefined) return Math.min(statedSize(last, maxBlocks, maxBlocks), (head ?? Number.POSITIVE_INFINITY) + 1);
  const to = heightOf(args('to'));
  const range = rangeOf(heightOf(args('from')), to, head);
  const count = range ? lengthOf(range) : maxBlocks;
  // The field itself rejects an open range that is too long.
  return to === undefined ? Math.min(maxBlocks, count) : count;
}

/** One end of a log filter's range, by default the head; undefined when its height is unknown. */
function endOf(height: unknown, tag: unknown, head: number | undefined): number | undefined {
  if (height !== undefined && height !== null) return heightOf(height);
  if (tag === 'EARLIEST') return 0;
  return tag === 'SAFE' || tag === 'FINALIZED' ? undefined : head;
}

/**
 * The number of blocks that a log filter searches, at most LOGS_PER_SEARCH: the assumed logs cannot lie in more blocks.
 */
const searchedBlocks = (args: ArgumentReader, pricing: PricingContext): number =>
  Math.min(LOGS_PER_SEARCH, blocksOfFilter(args, pricing));

/** The number of blocks in the range of a log filter; Infinity when an end of the range is unknown. */
export function blocksOfFilter(args: ArgumentReader, pricing: PricingContext): number {
  const { head } = factsOf(pricing);
  const filter = (args('filter') ?? {}) as Record<string, unknown>;
  if (filter.blockHash) return 1;
  const range = rangeOf(endOf(filter.fromBlock, filter.fromBlockTag, head), endOf(filter.toBlock, filter.toBlockTag, head), head);
  return range ? lengthOf(range) : Number.POSITIVE_INFINITY;
}

/**
 * A search, and the headers that prove its logs, one for each block: none if the logs are not verified, or if the range
 * is known only during execution, which counts the headers. Execution also counts the receipts, of which only the blooms
 * decide.
 */
export const logSearch: CallCount = {
  assumed: LOG_SEARCH_COST,
  of(args, pricing) {
    const headers = factsOf(pricing).verifiesLogs ? blocksOfFilter(args, pricing) : 0;
    return LOG_SEARCH_COST + (Number.isFinite(headers) ? headers : 0);
  },
};

/** The addresses in the list of an argument. Cached, since many fields can use one long list. */
const addressesOfLists = new WeakMap<readonly unknown[], readonly string[]>();

/** The contracts that a log filter names; undefined when it names no contract. */
export const contractsOf = (args: ArgumentReader): readonly string[] | undefined => {
  const { addresses } = (args('filter') ?? {}) as { readonly addresses?: unknown };
  const list = Array.isArray(addresses) ? addresses : [addresses];
  const named = addressesOfLists.get(list) ?? list.filter((address) => typeof address === 'string');
  addressesOfLists.set(list, named);
  return named.length > 0 ? named : undefined;
};

/** The calls that the transactions of a block share. */
export const fullTransactions = { cost: WHOLE_BLOCK_COST, costPerObject: RECEIPT_IN_BLOCK_COST };
export const receipts = { ...fullTransactions };

/** The cost of the addresses and topics that a log filter names. */
export const filterCost = {
  name: 'filter',
  input: {
    fields: ['addresses', 'topics'],
    perValue: FILTER_VALUE_COST,
    count: ({ addresses, topics }: Readonly<Record<string, unknown>>) => countFilterValues(addresses, topics),
  },
};

/** Assumed number of calls of a simulation if only its type is known. */
const SIMULATED_CALLS = 3;
/** Maximum number of blocks of a simulation, inserted blocks included. Source: the execution APIs. */
const MAX_SIMULATED_BLOCKS = 256;

type SimulatedBlockArg = { readonly calls?: unknown; readonly blockOverrides?: { readonly number?: unknown } | null } | null;

/**
 * The number of calls in the blocks of a simulation, and the height of its last block if any block names a height. Computed once for all fields
 * that share the list.
 */
const factsOfBlocks = memoizePerObject((given: readonly SimulatedBlockArg[]) => {
  const heights = given.map((block) => heightOf(block?.blockOverrides?.number));
  const named = heights.findLastIndex((height) => height !== undefined);
  return {
    calls: given.reduce((sum, block) => sum + lengthOfList(block?.calls ?? []), 0),
    last: named < 0 ? undefined : heights[named]! + heights.length - 1 - named,
  };
});

const lengthOfList = (list: unknown): number => (Array.isArray(list) ? list.length : 1);

/** The number of calls of a simulation, and of its blocks with those that the node inserts up to a given height. */
function simulationSize(args: ArgumentReader, pricing: PricingContext) {
  const [list, given] = [args('calls'), args('blocks')];
  if (!Array.isArray(given)) return { calls: lengthOfList(list), blocks: 1 };
  const base = heightOf(args('block')) ?? factsOf(pricing).head ?? Number.NaN;
  const { calls, last } = factsOfBlocks(given);
  const span = last === undefined ? 0 : Math.min(MAX_SIMULATED_BLOCKS, last - base);
  return { calls, blocks: Math.max(given.length, Number.isNaN(span) ? MAX_SIMULATED_BLOCKS : span) };
}

/** The length of both lists of a simulation: at least the number of its calls, and of its blocks. */
export const simulatedCalls: ListLength = {
  assumed: SIMULATED_CALLS,
  of: (args, pricing) => Math.max(...Object.values(simulationSize(args, pricing))),
};

/** The cost of the calls of a simulation, and of its blocks beyond the first. */
export const simulationCost: CallCount = {
  assumed: SIMULATED_CALLS * CALL_EXECUTION_COST,
  of(args, pricing) {
    const { calls, blocks } = simulationSize(args, pricing);
    return CALL_EXECUTION_COST * calls + SIMULATED_BLOCK_COST * (blocks - 1);
  },
};

/** The number of blocks of the field `feeHistory`, which an argument states. */
export const feeHistorySize: ListLength = {
  assumed: 10,
  slicingArguments: ['blockCount'],
  of: (args) => statedSize(args('blockCount'), 10, 1_024),
};

/** The assumed number of transactions of a block, and of its logs that match a filter. */
const assumedLength = (assumed: number): ListLength => ({ assumed, isAssumed: true, of: () => assumed });
export const transactionsOfBlock = assumedLength(TRANSACTIONS_PER_BLOCK);
export const foundLogs: ListLength = {
  assumed: LOGS_PER_SEARCH,
  isAssumed: true,
  containers: searchedBlocks,
  of: (args, pricing) => Math.min(LOGS_PER_SEARCH, TRANSACTIONS_PER_BLOCK * searchedBlocks(args, pricing)),
};

/** The length of a list in an argument, up to a maximum if the field rejects a longer list. */
const countIn = (argument: string, maximum: number) => (args: ArgumentReader) => {
  const list = args(argument);
  return Array.isArray(list) ? Math.min(maximum, list.length) : 0;
};

/** The number of storage keys of a proof. */
export const storageKeysIn = countIn('storageKeys', MAX_STORAGE_KEYS);
/** The number of storage slots that are read together. */
export const slotsIn: ListLength = { assumed: MAX_STORAGE_VALUES, of: countIn('slots', MAX_STORAGE_VALUES) };

export const addressOf = (args: ArgumentReader): readonly string[] => {
  const address = args('address');
  return typeof address === 'string' ? [address] : [];
};

/** The size of a page from either end of a list, up to a maximum if the field rejects a larger page. */
export const pageSize = (maxSizeOf: (pricing: PricingContext) => number): ListLength => ({
  assumed: DEFAULT_PAGE_SIZE,
  slicingArguments: ['first', 'last'],
  of: (args, pricing) => statedSize(args('last') ?? args('first'), DEFAULT_PAGE_SIZE, maxSizeOf(pricing)),
});

/** A page of logs, which can have any size. */
export const pageOfLogs = pageSize(() => Number.POSITIVE_INFINITY);
