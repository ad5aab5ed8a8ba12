import { type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import type { LogFilter } from '../../evm/filters.ts';
import { type Selection, selectionOf } from '../../graphql/selection.ts';

/**
 * The selection decides the calls: each plan says, from what an operation selects below a field, what to ask the node for.
 * Plans are made before anything is asked, so that all of it travels in one request.
 */

/** What a block is to bring along, so that its fields need no further request. */
export interface BlockPlan {
  /** Whole transactions in place of their hashes: by far the dearest thing a node can be asked. */
  readonly full: boolean;
  readonly receipts: boolean;
  /** The log filters asked; one that lets everything pass when logs are wanted by transaction. */
  readonly logs: readonly LogFilter[];
}

/** What a transaction is to bring along beyond what is known of it. */
export interface TransactionPlan {
  readonly whole: boolean;
  readonly receipt: boolean;
}

/** Which counts to ask of a block of which nothing else is wanted. */
export interface CountsPlan {
  readonly transactions: boolean;
  readonly ommers: boolean;
}

/** The block itself and nothing along with it. */
export const NOTHING_MORE: BlockPlan = { full: false, receipts: false, logs: [] };

const POSITION = ['hash', 'blockHash', 'blockNumber', 'index', 'block'];
const FROM_RECEIPT = [
  'status',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'blobGasUsed',
  'blobGasPrice',
  'createdContract',
  'receipt',
];

const RECEIPT_FIELDS: ReadonlySet<string> = new Set(FROM_RECEIPT);
const RECEIPT_OR_LOGS: ReadonlySet<string> = new Set([...FROM_RECEIPT, 'logs']);

/** Fields of a transaction that its hash and position answer, with its receipt's help. */
export const KNOWN_BY_POSITION: ReadonlySet<string> = new Set([...POSITION, ...RECEIPT_OR_LOGS]);
/** Fields of a transaction that its receipt answers. */
export const KNOWN_BY_RECEIPT: ReadonlySet<string> = new Set([...KNOWN_BY_POSITION, 'from', 'to']);
/** Fields of a block that whatever lies in it knows. */
export const KNOWN_OF_BLOCK: ReadonlySet<string> = new Set(['number', 'hash']);

const HEIGHT: ReadonlySet<string> = new Set(['number']);
const COUNTS = ['transactionCount', 'ommerCount'];
const COUNTS_BY = { number: new Set(['number', ...COUNTS]), hash: new Set(['hash', ...COUNTS]) };

/** Whether no more than a block's height is asked. */
export const onlyHeight = (info: GraphQLResolveInfo): boolean => selectionOf(info).within(HEIGHT);

/** Which counts are asked of a block that is named by number or hash, when nothing else of it is; none otherwise. */
export function onlyCounts(info: GraphQLResolveInfo, by: 'number' | 'hash'): CountsPlan | undefined {
  const selection = selectionOf(info);
  const [transactions, ommers] = COUNTS.map((name) => selection.has(name)) as [boolean, boolean];
  return selection.within(COUNTS_BY[by]) && (transactions || ommers) ? { transactions, ommers } : undefined;
}

const logFilters = (selection: Selection, { schema, variableValues }: GraphQLResolveInfo): LogFilter[] => {
  const field = (schema.getType('Block') as GraphQLObjectType).getFields().logs!;
  return selection.nodes('logs').map((node) => getArgumentValues(field, node, variableValues).filter as LogFilter);
};

/** What to ask for along with a block. */
export function blockPlan(info: GraphQLResolveInfo): BlockPlan {
  const selection = selectionOf(info);
  const listed = selection.below('transactions');
  const behind = [selection.below('receipts').below('transaction'), selection.below('logs').below('transaction')] as const;
  const receipts = selection.has('receipts') || [listed, ...behind].some((below) => below.hasAny(RECEIPT_FIELDS));
  return {
    full: !listed.within(KNOWN_BY_POSITION) || !behind[0].within(KNOWN_BY_RECEIPT) || !behind[1].within(KNOWN_BY_POSITION),
    receipts,
    logs: receipts ? [] : listed.has('logs') ? [{}] : logFilters(selection, info),
  };
}

/** What to ask for along with a transaction of which these fields are known. */
export function transactionPlan(info: GraphQLResolveInfo, known: ReadonlySet<string>): TransactionPlan {
  const selection = selectionOf(info);
  return { whole: !selection.within(known), receipt: selection.hasAny(RECEIPT_OR_LOGS) };
}
