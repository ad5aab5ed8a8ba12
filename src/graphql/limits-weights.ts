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
/** The dearest calls, those that give all of a block, in the unit of cost. */
export const WHOLE_BLOCK = 20;

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

export const free: Weight = {};

/** A table of weights by field, `Type.field`; `Type.*` is every other field of the type. What is in neither is free. */
export type Weights = Readonly<Record<string, Weight>>;

/** What every graph has. */
export const INTROSPECTION_WEIGHTS: Weights = { 'Query.__schema': free, 'Query.__type': free, '__Schema.types': { size: 50 } };
