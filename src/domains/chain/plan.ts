import { type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import { type LogFilter, MAX_TOPICS } from '../../ethereum/log-filters.ts';
import { memoizePerSelection, type Selection, selectionOf } from '../../graphql/selection.ts';
import type { StateField } from './model.ts';

/**
 * The selection decides the calls: each plan says, from what an operation selects below a field, what to ask the node for.
 * Plans are made before anything is asked, so that all of it travels in one request.
 */

/** What a block is to bring along, so that its fields need no further request. */
export interface BlockPlan {
  /** Whole transactions in place of their hashes: by far the dearest thing a node can be asked. */
  readonly full: boolean;
  readonly receipts: boolean;
  /** All logs, to be had by transaction; never together with receipts, which have them. */
  readonly allLogs: boolean;
  /** The filters of logs that are asked by filter alone. */
  readonly filters: readonly LogFilter[];
}

/** What a transaction is to bring along beyond what is known of it. */
export interface TransactionPlan {
  readonly full: boolean;
  readonly receipt: boolean;
}

/** Which counts to ask of a block of which nothing else is wanted. */
export interface CountsPlan {
  readonly transactions: boolean;
  readonly ommers: boolean;
}

const POSITION = ['hash', 'blockHash', 'blockNumber', 'index', 'block', 'state', 'confirmations'];
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
export const BLOCK_REF_FIELDS: ReadonlySet<string> = new Set(['number', 'hash']);

const HEAD_REF_FIELDS: ReadonlySet<string> = new Set(['number', 'hash', 'parentHash']);
const HEIGHT: ReadonlySet<string> = new Set(['number']);
const HASH: ReadonlySet<string> = new Set(['hash']);
const TRANSACTION_HASH: ReadonlySet<string> = new Set(['transactionHash']);
const COUNTS = ['transactionCount', 'ommerCount'];
const COUNTS_BY = { number: new Set(['number', ...COUNTS]), hash: new Set(['hash', ...COUNTS]) };

/** Whether no more than a block's height is asked. */
export const selectsOnlyHeight = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HEIGHT);

/** Whether no more than a transaction's hash is asked. */
export const selectsOnlyHash = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HASH);

/** Whether no more than a receipt's transaction's hash is asked. */
export const selectsOnlyTransactionHash = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(TRANSACTION_HASH);

/** Whether no more is asked than everything knows that knows a block. */
export const selectsOnlyHeadRef = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HEAD_REF_FIELDS);

/** Fields of a block that its header answers, by their names on the wire. */
const HEADER_WIRE_NAMES: ReadonlyMap<string, string> = new Map([
  ...[
    'number',
    'hash',
    'parentHash',
    'nonce',
    'transactionsRoot',
    'stateRoot',
    'receiptsRoot',
    'miner',
    'extraData',
    'gasLimit',
    'gasUsed',
    'baseFeePerGas',
    'timestamp',
    'logsBloom',
    'mixHash',
    'difficulty',
    'withdrawalsRoot',
    'blobGasUsed',
    'excessBlobGas',
  ].map((name) => [name, name] as const),
  ['timestampISO', 'timestamp'],
  ['ommerHash', 'sha3Uncles'],
  ['confirmations', 'number'],
  ['finalized', 'number'],
  ['account', 'hash'],
  ['parent', 'parentHash'],
]);
const HEADER_FIELDS: ReadonlySet<string> = new Set(HEADER_WIRE_NAMES.keys());

/** What a header must tell, by its names on the wire, to answer all that is asked of a block; undefined when none can. */
export const headerPlan = memoizePerSelection((info): { readonly needs: readonly string[] | undefined } => {
  const selection = selectionOf(info);
  const needs = [...HEADER_WIRE_NAMES].filter(([field]) => selection.has(field)).map(([, name]) => name);
  return { needs: selection.hasOnly(HEADER_FIELDS) ? needs : undefined };
});

/** Which counts are asked of a block that is named by number or hash, when nothing else of it is; none otherwise. */
export function countsPlan(info: GraphQLResolveInfo, by: 'number' | 'hash'): CountsPlan | undefined {
  const selection = selectionOf(info);
  const [transactions, ommers] = COUNTS.map((name) => selection.has(name)) as [boolean, boolean];
  return selection.hasOnly(COUNTS_BY[by]) && (transactions || ommers) ? { transactions, ommers } : undefined;
}

/** What is wanted of one block's own transactions, wherever below the block: behind receipts, behind logs, behind a link back. */
class BlockRequirements {
  full = false;
  receipts = false;
  allLogs = false;
  readonly filters: LogFilter[] = [];
  readonly #info: GraphQLResolveInfo;

  constructor(info: GraphQLResolveInfo) {
    this.#info = info;
  }

  block(block: Selection): void {
    this.transactions(block.subselection('transactions'), KNOWN_BY_POSITION);
    if (block.has('receipts')) this.#receipts(block.subselection('receipts'));
    if (block.has('logs')) {
      this.filters.push(...logFilters(block, this.#info));
      this.#logs(block.subselection('logs'));
    }
  }

  transactions(transaction: Selection, known: ReadonlySet<string>): void {
    if (!transaction.hasOnly(known)) this.full = true;
    if (transaction.hasAny(RECEIPT_FIELDS)) this.receipts = true;
    if (transaction.has('receipt')) this.#receipts(transaction.subselection('receipt'));
    if (transaction.has('logs')) {
      this.allLogs = true;
      this.#logs(transaction.subselection('logs'));
    }
    if (transaction.has('block')) this.block(transaction.subselection('block'));
  }

  #receipts(receipt: Selection): void {
    this.receipts = true;
    if (receipt.has('transaction')) this.transactions(receipt.subselection('transaction'), KNOWN_BY_RECEIPT);
    if (receipt.has('logs')) this.#logs(receipt.subselection('logs'));
    if (receipt.has('block')) this.block(receipt.subselection('block'));
  }

  #logs(log: Selection): void {
    if (log.has('transaction')) this.transactions(log.subselection('transaction'), KNOWN_BY_POSITION);
    if (log.has('block')) this.block(log.subselection('block'));
  }
}

/** The filters of a block's logs; one that is wrong, or whose value is missing, is left for its own field to report. */
const logFilters = (block: Selection, { schema, variableValues }: GraphQLResolveInfo): LogFilter[] => {
  const field = (schema.getType('Block') as GraphQLObjectType).getFields().logs!;
  return block.nodes('logs').flatMap((node) => {
    try {
      const filter = getArgumentValues(field, node, variableValues).filter as LogFilter;
      return (filter.topics?.length ?? 0) > MAX_TOPICS ? [] : [filter];
    } catch {
      return [];
    }
  });
};

/** What to ask for along with a block. */
export const blockPlan = memoizePerSelection((info): BlockPlan => {
  const wants = new BlockRequirements(info);
  wants.block(selectionOf(info));
  const { full, receipts, allLogs, filters } = wants;
  return { full, receipts, allLogs: allLogs && !receipts, filters: receipts || allLogs ? [] : filters };
});

const transactionPlan = (known: ReadonlySet<string>) =>
  memoizePerSelection((info): TransactionPlan => {
    const selection = selectionOf(info);
    return { full: !selection.hasOnly(known), receipt: selection.hasAny(RECEIPT_OR_LOGS) };
  });

/** What to ask for along with a transaction of which the hash and the position are known. */
export const transactionPlanByPosition = transactionPlan(KNOWN_BY_POSITION);
/** What to ask for along with a transaction whose receipt is known, or is to be had. */
export const transactionPlanByReceipt = transactionPlan(KNOWN_BY_RECEIPT);

const STATE_FIELDS: readonly StateField[] = ['balance', 'transactionCount', 'code'];
const STATE_OR_ADDRESS: ReadonlySet<string> = new Set([...STATE_FIELDS, 'address', '_at']);

/**
 * Which parts of an account's state to read before the account is handed on: none when it has other fields that ask for something, which
 * would have to wait for them.
 */
export const statePlan = memoizePerSelection((info): readonly StateField[] => {
  const selection = selectionOf(info);
  return selection.hasOnly(STATE_OR_ADDRESS) ? STATE_FIELDS.filter((field) => selection.has(field)) : [];
});

/** Whether a receipt is asked for more of its transaction than it knows itself. */
export const needsTransaction = memoizePerSelection(
  (info): boolean => !selectionOf(info).subselection('transaction').hasOnly(KNOWN_BY_RECEIPT),
);
