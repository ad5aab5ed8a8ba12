import { type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues, valueFromASTUntyped } from 'graphql';
import { type LogFilter, MAX_TOPICS } from '../../../ethereum/log-filters.ts';
import { memoizePerSelection, type Selection, selectionOf } from '../../../graphql/selection.ts';
import type { StateField } from '../model.ts';

/**
 * Plans derive the upstream calls of a field from the fields selected below it. They are computed before the first call, so that all calls
 * share one request. The plans of objects are in one file because they use the same field sets; page-plan.ts has those of pages.
 */

/** The data to load together with a block, so that its selected fields need no further request. */
export interface BlockPlan {
  /** Whole transactions instead of their hashes: the largest response of a node. */
  readonly full: boolean;
  readonly receipts: boolean;
  /** All logs, grouped by transaction; never together with receipts, which include them. */
  readonly allLogs: boolean;
  /** The filters of the selected `logs` fields, where neither receipts nor all logs are loaded. */
  readonly filters: readonly LogFilter[];
  /** Whether `parent` is selected: then fields of a block can read from the blocks below it. */
  readonly ancestors: boolean;
}

/** The data to load for a transaction in addition to its known fields. */
export interface TransactionPlan {
  readonly full: boolean;
  readonly receipt: boolean;
}

/** The data to load for each log of a search. */
export interface LogPlan extends TransactionPlan {
  /** Undefined when the height and the hash of the block are enough. */
  readonly block: BlockPlan | undefined;
}

/** How the pending block is read. */
export interface PendingPlan {
  /** Whether the block itself is selected; then its counts and transactions are those of the block. */
  readonly block: boolean;
  /** Whole transactions instead of their hashes. */
  readonly full: boolean;
}

/** The counts of a block to read when no other fields are selected. */
export interface CountsPlan {
  readonly transactions: boolean;
  readonly ommers: boolean;
}

const POSITION_FIELDS = ['id', 'hash', 'blockHash', 'blockNumber', 'index', 'block', 'state', 'confirmations'];
const RECEIPT_FIELD_NAMES = [
  'status',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'blobGasUsed',
  'blobGasPrice',
  'createdContract',
  'receipt',
  'revertReason',
];

/** `rawReceipt` needs all receipts of the block, of which the own one is no part when it is read alone. */
const RECEIPT_FIELDS: ReadonlySet<string> = new Set([...RECEIPT_FIELD_NAMES, 'rawReceipt']);
const RECEIPT_OR_LOGS: ReadonlySet<string> = new Set([...RECEIPT_FIELD_NAMES, 'logs']);

/** Fields of a transaction known from its hash, its position and its receipt or logs. */
const KNOWN_BY_POSITION: ReadonlySet<string> = new Set([...POSITION_FIELDS, ...RECEIPT_OR_LOGS, 'rawReceipt']);
/** Fields of a transaction known from its receipt. */
const KNOWN_BY_RECEIPT: ReadonlySet<string> = new Set([...KNOWN_BY_POSITION, 'from', 'to']);
/** Fields of a block known from any object that the block contains. */
export const BLOCK_REF_FIELDS: ReadonlySet<string> = new Set(['id', 'number', 'hash']);

const HEAD_REF_FIELDS: ReadonlySet<string> = new Set(['id', 'number', 'hash', 'parentHash']);
/** The field of a block that its position in a range determines. */
export const HEIGHT: ReadonlySet<string> = new Set(['number']);
const HASH: ReadonlySet<string> = new Set(['id', 'hash']);
const TRANSACTION_HASH: ReadonlySet<string> = new Set(['transactionHash']);
const COUNTS = ['transactionCount', 'ommerCount'];
const COUNTS_BY = { number: new Set(['number', ...COUNTS]), hash: new Set(['id', 'hash', ...COUNTS]) };

/** Whether only a block's height is selected. */
export const selectsOnlyHeight = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HEIGHT);

/** Whether only a transaction's hash is selected. */
export const selectsOnlyHash = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HASH);

/** Whether only a receipt's transaction hash is selected. */
export const selectsOnlyTransactionHash = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(TRANSACTION_HASH);

/** Whether only the fields of the pinned head are selected: height, hash and parent hash. */
export const selectsOnlyHeadRef = (info: GraphQLResolveInfo): boolean => selectionOf(info).hasOnly(HEAD_REF_FIELDS);

/** Fields of a block that can be read from its header, with the header field that each needs. */
const HEADER_FIELD_SOURCES: ReadonlyMap<string, string> = new Map([
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
  ['id', 'hash'],
  ['timestampISO', 'timestamp'],
  ['ommerHash', 'sha3Uncles'],
  ['confirmations', 'number'],
  ['finalized', 'number'],
  ['account', 'hash'],
  ['call', 'hash'],
  ['estimateGas', 'hash'],
  ['parent', 'parentHash'],
]);
const HEADER_FIELDS: ReadonlySet<string> = new Set(HEADER_FIELD_SOURCES.keys());

/** The header fields needed for all selected fields of a block; `needs` is undefined when a header is not enough. */
export const headerPlan = memoizePerSelection((info): { readonly needs: readonly string[] | undefined } => ({
  needs: headerNeedsOf([selectionOf(info)]),
}));

/** The header fields needed for several selections of one block; undefined when a header is not enough. */
export function headerNeedsOf(blocks: readonly Selection[]): readonly string[] | undefined {
  if (!blocks.every((block) => block.hasOnly(HEADER_FIELDS))) return undefined;
  return [...HEADER_FIELD_SOURCES].filter(([field]) => blocks.some((block) => block.has(field))).map(([, name]) => name);
}

/** The selected counts of a block given by number or hash; undefined when other fields are selected too. */
export function countsPlan(info: GraphQLResolveInfo, by: 'number' | 'hash'): CountsPlan | undefined {
  const selection = selectionOf(info);
  const [transactions, ommers] = COUNTS.map((name) => selection.has(name)) as [boolean, boolean];
  return selection.hasOnly(COUNTS_BY[by]) && (transactions || ommers) ? { transactions, ommers } : undefined;
}

/** Collects the data that the selection needs at any depth below a block: through transactions, receipts, logs, and links back to the block. */
class BlockRequirements {
  full = false;
  receipts = false;
  allLogs = false;
  ancestors = false;
  readonly filters: LogFilter[] = [];
  readonly #info: GraphQLResolveInfo;

  constructor(info: GraphQLResolveInfo) {
    this.#info = info;
  }

  block(block: Selection): void {
    if (block.has('parent')) this.ancestors = true;
    if (block.has('raw')) this.full = true;
    if (block.subselection('transactionAt').has('rawReceipt')) this.receipts = true;
    this.transactions(block.subselection('transactions'));
    if (block.has('transactionsConnection')) {
      for (const transaction of nodesOf(block.subselection('transactionsConnection'))) this.transactions(transaction);
      if (isFiltered(block, this.#info)) this.full = true;
    }
    if (block.has('receipts')) this.#receipts(block.subselection('receipts'));
    if (block.has('logs')) {
      this.filters.push(...logFilters(block, this.#info));
      this.#logs(block.subselection('logs'));
    }
  }

  transactions(transaction: Selection, known: ReadonlySet<string> = KNOWN_BY_POSITION): void {
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
    if (log.has('transaction')) this.transactions(log.subselection('transaction'));
    if (log.has('block')) this.block(log.subselection('block'));
  }

  get plan(): BlockPlan {
    const { full, receipts, allLogs, ancestors, filters } = this;
    return { full, receipts, allLogs: allLogs && !receipts, filters: receipts || allLogs ? [] : filters, ancestors };
  }
}

/** The selections of the entries of a connection. */
export const nodesOf = (connection: Selection): readonly Selection[] => [
  connection.subselection('nodes'),
  connection.subselection('edges').subselection('node'),
];

/** Whether a page of the block's transactions has a filter, which needs full transactions. */
const isFiltered = (block: Selection, { variableValues }: GraphQLResolveInfo): boolean =>
  block.nodes('transactionsConnection').some(({ arguments: args }) => {
    const value = args?.find(({ name }) => name.value === 'filter')?.value;
    return value !== undefined && (valueFromASTUntyped(value, variableValues) ?? null) !== null;
  });

/** The filters of the selected `logs` fields. Skips an invalid filter: the field itself reports the error. */
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

/** Computes the data to load for several selections of one block. */
export function planOfBlocks(blocks: readonly Selection[], info: GraphQLResolveInfo): BlockPlan {
  const requirements = new BlockRequirements(info);
  for (const block of blocks) requirements.block(block);
  return requirements.plan;
}

/** Computes the data to load with each block for several selections of its transactions. */
export function planOfTransactions(transactions: readonly Selection[], info: GraphQLResolveInfo): BlockPlan {
  const requirements = new BlockRequirements(info);
  for (const transaction of transactions) requirements.transactions(transaction);
  return requirements.plan;
}

/** Computes the data to load together with a block. */
export const blockPlan = memoizePerSelection((info): BlockPlan => planOfBlocks([selectionOf(info)], info));

/** The selections of the own block of a log, or of an object that a log links to, which need the block itself. */
function ownBlocks(selection: Selection): readonly Selection[] {
  const block = selection.subselection('block');
  const links = ['transaction', 'receipt', 'logs'].filter((name) => selection.has(name));
  return [
    ...(block.hasOnly(BLOCK_REF_FIELDS) ? [] : [block]),
    ...links.flatMap((name) => ownBlocks(selection.subselection(name))),
  ];
}

function planOfLogs(log: Selection, info: GraphQLResolveInfo): LogPlan {
  const blocks = ownBlocks(log);
  return {
    ...transactionRequirements(log.subselection('transaction'), KNOWN_BY_POSITION),
    block: blocks.length === 0 ? undefined : planOfBlocks(blocks, info),
  };
}

/** Computes the data to load for each log of a search. */
export const logPlan = memoizePerSelection((info): LogPlan => planOfLogs(selectionOf(info), info));

/** Computes the data to load for each log of a page, in either list of the connection. */
export const logPagePlan = memoizePerSelection((info): { readonly nodes: LogPlan; readonly edges: LogPlan } => {
  const page = selectionOf(info);
  return {
    nodes: planOfLogs(page.subselection('nodes'), info),
    edges: planOfLogs(page.subselection('edges').subselection('node'), info),
  };
});

/** Computes the data to load for the log of each transfer of a page, in either list of the connection. */
export const transferPagePlan = memoizePerSelection((info): { readonly nodes: LogPlan; readonly edges: LogPlan } => {
  const page = selectionOf(info);
  return {
    nodes: planOfLogs(page.subselection('nodes').subselection('log'), info),
    edges: planOfLogs(page.subselection('edges').subselection('node').subselection('log'), info),
  };
});

const transactionRequirements = (transaction: Selection, known: ReadonlySet<string>): TransactionPlan => ({
  full: !transaction.hasOnly(known),
  receipt: transaction.hasAny(RECEIPT_OR_LOGS),
});

const transactionPlan = (known: ReadonlySet<string>) =>
  memoizePerSelection((info): TransactionPlan => transactionRequirements(selectionOf(info), known));

/** Computes the data to load for a transaction whose hash and position are known. */
export const transactionPlanByPosition = transactionPlan(KNOWN_BY_POSITION);
/** Computes the data to load for a transaction whose receipt is known or can be read. */
export const transactionPlanByReceipt = transactionPlan(KNOWN_BY_RECEIPT);

const STATE_FIELDS: readonly StateField[] = ['balance', 'transactionCount', 'code'];
/** Fields of an account that follow from a state field. */
const FROM_STATE: Readonly<Record<string, StateField>> = { balanceIn: 'balance', isContract: 'code' };
const STATE_OR_ADDRESS: ReadonlySet<string> = new Set([...STATE_FIELDS, ...Object.keys(FROM_STATE), 'id', 'address', '_at']);

/**
 * The state fields to read before an account is returned. Empty when fields that need other calls are selected too, since those would wait
 * for the state.
 */
export const statePlan = memoizePerSelection((info): readonly StateField[] => {
  const selection = selectionOf(info);
  if (!selection.hasOnly(STATE_OR_ADDRESS)) return [];
  const derived = Object.keys(FROM_STATE).filter((field) => selection.has(field));
  return STATE_FIELDS.filter((field) => selection.has(field) || derived.some((name) => FROM_STATE[name] === field));
});

/** Computes how the pending block is read. */
export const pendingPlan = memoizePerSelection((info): PendingPlan => {
  const selection = selectionOf(info);
  return {
    block: selection.has('block') || selection.has('transactions'),
    full: !selection.subselection('transactions').hasOnly(KNOWN_BY_POSITION),
  };
});

/** Whether fields of a receipt's transaction are selected that the receipt does not contain. */
export const needsTransaction = memoizePerSelection(
  (info): boolean => !selectionOf(info).subselection('transaction').hasOnly(KNOWN_BY_RECEIPT),
);
