import { type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues, valueFromASTUntyped } from 'graphql';
import { HEADER_FIELD_NAMES } from '../../../ethereum/encoding/block.ts';
import { type LogFilter, MAX_TOPICS } from '../../../ethereum/log-filters.ts';
import { memoizePerSelection, type Selection, selectionOf } from '../../../graphql/selection.ts';
import { KNOWN_BY_POSITION, KNOWN_BY_RECEIPT, RECEIPT_FIELDS } from '../transaction/plan.ts';

/**
 * Plans derive the upstream calls of a field from the fields selected below it. They are computed before the first call, so that all calls
 * share one request. `transaction/plan.ts` and `log/plan.ts` have the plans of their objects.
 */

/** The data to load together with a block, so that its selected fields need no further request. */
export interface BlockPlan {
  /** Whole transactions instead of their hashes: the largest response of a node. */
  readonly full: boolean;
  readonly receipts: boolean;
  /** All logs, grouped by transaction; never together with receipts, which include them. */
  readonly allLogs: boolean;
  /** The filters of the selected `logs` fields, if neither receipts nor all logs are loaded. */
  readonly filters: readonly LogFilter[];
  /** Whether `parent` is selected: then fields of a block can read from the blocks below it. */
  readonly ancestors: boolean;
}

/** The plan of a block whose contents are not needed. */
export const HEADER_ONLY_PLAN: BlockPlan = { full: false, receipts: false, allLogs: false, filters: [], ancestors: false };

/** The counts of a block to read when no other fields are selected. */
export type CountsPlan = NonNullable<ReturnType<typeof countsPlan>>;

/** Fields of a block known from any object that the block contains. */
export const BLOCK_REF_FIELDS: ReadonlySet<string> = new Set(['id', 'number', 'hash']);

/** Fields of a block known from an object that the node returned with the time of its block. */
export const TIMED_REF_FIELDS: ReadonlySet<string> = new Set([...BLOCK_REF_FIELDS, 'timestamp', 'timestampISO']);

/** Fields of the pinned head that are known without a request. */
export const HEAD_REF_FIELDS: ReadonlySet<string> = new Set(['id', 'number', 'hash', 'parentHash']);
/** The field of a block that its position in a range determines. */
export const HEIGHT: ReadonlySet<string> = new Set(['number']);
const COUNTS = ['transactionCount', 'ommerCount'];
const COUNTS_BY = { number: new Set(['number', ...COUNTS]), hash: new Set(['id', 'hash', ...COUNTS]) };

/**
 * Fields of a block that can be read from its header, each with the header field that it needs. The first entries map
 * header fields to themselves.
 */
const HEADER_FIELD_SOURCES: ReadonlyMap<string, string> = new Map([
  ...HEADER_FIELD_NAMES.map((name) => [name, name] as const),
  ['hash', 'hash'],
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
function headerNeedsOf(blocks: readonly Selection[]): readonly string[] | undefined {
  if (!blocks.every((block) => block.hasOnly(HEADER_FIELDS))) return undefined;
  return [...HEADER_FIELD_SOURCES].filter(([field]) => blocks.some((block) => block.has(field))).map(([, name]) => name);
}

/** The selected counts of a block given by number or hash; undefined when other fields are selected too. */
export function countsPlan(info: GraphQLResolveInfo, by: 'number' | 'hash') {
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
    // The outermost call of each trace is compared with its transaction.
    if (block.has('raw') || block.has('traces')) this.full = true;
    for (const field of ['traces', 'executionTraces']) this.transactions(block.subselection(field).subselection('transaction'));
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
const nodesOf = (connection: Selection): readonly Selection[] => [
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

/** Computes the data to load together with a block. */
export const blockPlan = memoizePerSelection((info): BlockPlan => planOfBlocks([selectionOf(info)], info));

/** The data to load for a page of blocks. */
export type BlockPagePlan = ReturnType<typeof blockPagePlan>;

/**
 * Computes the data to load for a page of blocks: one plan for its `nodes` and its `edges`, so that both cause equal
 * calls.
 */
export const blockPagePlan = memoizePerSelection((info) => {
  const page = selectionOf(info);
  const pageInfo = page.subselection('pageInfo');
  const blocks = nodesOf(page);
  const needs = headerNeedsOf(blocks);
  const hasOnlyHeights = blocks.every((block) => block.hasOnly(HEIGHT)) && !page.subselection('edges').has('cursor');
  return {
    /** The data to load with each block; null when only heights are selected. */
    blocks: hasOnlyHeights ? null : planOfBlocks(blocks, info),
    /** The header fields that are enough for each block; undefined when a header is not enough. */
    needs: needs && [...needs, 'number', 'hash'],
    startCursor: pageInfo.has('startCursor'),
    endCursor: pageInfo.has('endCursor'),
  };
});

/** Computes the data to load with each block of a page of transactions. */
export const transactionPagePlan = memoizePerSelection((info): BlockPlan => {
  const requirements = new BlockRequirements(info);
  for (const transaction of nodesOf(selectionOf(info))) requirements.transactions(transaction);
  return requirements.plan;
});
