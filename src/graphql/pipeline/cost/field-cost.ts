/**
 * What an operation may cost, and what one of its lists may be: the settings of these names. The unit of cost is one small call
 * to the node, such as a balance.
 */
export interface CostLimits {
  readonly MAX_COST: number;
  /** Settings of domains, which the functions of their own weights read. */
  readonly [domainSetting: string]: unknown;
}

/** A value in the response: a hundred of them are about as much work, here, as one small call. */
export const LEAF_COST = 0.01;
/** A list of which nothing else is known, such as those of introspection. */
export const DEFAULT_LIST_SIZE = 10;
/** The most expensive calls, those that return all of a block, in the unit of cost. */
export const WHOLE_BLOCK_COST = 20;
/** A receipt that is fetched because those of its whole block are wanted: a block of 200 transactions costs the same either way. */
export const RECEIPT_IN_BLOCK_COST = 0.1;
/** A search for logs: the node looks into an index over many blocks. Those of one block are a twelfth of the work of its receipts. */
export const LOG_SEARCH_COST = 20;
export const BLOCK_LOGS_COST = 2;

export type ArgumentReader = (name: string) => unknown;

/** An inclusive range of block heights. */
export interface HeightRange {
  readonly first: number;
  readonly last: number;
  /** Whether a link back into these blocks was followed: a list in them then counts for each item of another such list. */
  readonly isNested?: boolean;
}

/** What is known of the chain without a call; undefined is unknown. */
export interface ChainFacts {
  /** Height of the block that the operation is answered from. */
  readonly head: number | undefined;
  /** Number of transactions in the canonical block of a height, if that block is cached. */
  transactionsAt(height: number): number | undefined;
  /** Gas that the canonical block of a height used, if its header is known. */
  gasUsedAt(height: number): number | undefined;
}

export const NO_CHAIN_FACTS: ChainFacts = { head: undefined, transactionsAt: () => undefined, gasUsedAt: () => undefined };

/** What the price of a field may depend on beside its arguments. */
export interface PricingContext {
  readonly limits: CostLimits;
  readonly facts: ChainFacts;
}

/** What one field costs. Nothing at all is what a value costs that comes with the object that it is a field of. */
export interface FieldWeight {
  /** Small calls for each object that has the field; with `size`, for each item of the list. */
  readonly calls?: number;
  /** Calls for each object, however long the list is. */
  readonly fixedCalls?: number;
  /**
   * Length of the list. A number is an assumption. A function returns what the arguments state, or an assumption where
   * `isAssumed` is set. `heights`: the blocks that the field lies in, where they are known.
   */
  readonly size?: number | ((args: ArgumentReader, pricing: PricingContext, heightRange: HeightRange | undefined) => number);
  /** The request does not say how long the list is, so that calls below it are limited while the operation runs, and not before. */
  readonly isAssumed?: true;
  /** What is fetched once for all that lies in a block: whole transactions, or receipts. */
  readonly needs?: 'whole' | 'receipts';
  /** The field leads to blocks, or to transactions that are fetched one by one. */
  readonly leadsTo?: 'to blocks' | 'to transactions';
  /** Fields of the object that are known without a call: a selection of these alone costs none. */
  readonly knownFields?: ReadonlySet<string>;
  /** How many blocks the items of a list lie in, when it is not one. */
  readonly blockCount?: (args: ArgumentReader, pricing: PricingContext) => number;
  /** Which blocks the field leads to, where that is known. */
  readonly heights?: (args: ArgumentReader, pricing: PricingContext) => HeightRange | undefined;
  /** Addresses that the request names for the objects: they are no others. `same`: those of the object that has the field. */
  readonly addresses?: 'same' | ((args: ArgumentReader) => readonly string[] | undefined);
  /** There are at most as many distinct objects as addresses are named; this is the assumption where none is. */
  readonly assumedDistinct?: number;
  /** Small calls for each distinct address, once in an operation. */
  readonly callsPerAddress?: number;
}

export const FREE_FIELD: FieldWeight = {};

/** A table of weights by field, `Type.field`; `Type.*` is every other field of the type. What is in neither is free. */
export type FieldWeights = Readonly<Record<string, FieldWeight>>;

/** The weight of a field; undefined where the table has none. */
export const fieldWeightOf = (weights: FieldWeights, type: string, field: string): FieldWeight | undefined =>
  weights[`${type}.${field}`] ?? weights[`${type}.*`];

/** What every graph has. */
export const INTROSPECTION_FIELD_WEIGHTS: FieldWeights = {
  'Query.__schema': FREE_FIELD,
  'Query.__type': FREE_FIELD,
  '__Schema.types': { size: 50 },
};
