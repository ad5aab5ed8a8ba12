import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../connections.ts';

/** Length of a page whose only size argument is `first`. */
export const firstPageSize: ListLength = {
  assumed: DEFAULT_PAGE_SIZE,
  slicingArguments: ['first'],
  of(args) {
    const first = Number(args('first') ?? DEFAULT_PAGE_SIZE);
    return Number.isNaN(first) ? DEFAULT_PAGE_SIZE : Math.min(MAX_PAGE_SIZE, Math.max(0, first));
  },
};

/**
 * Limits; each property is the setting with the name of the property. The unit of cost is one small call to the node,
 * such as a balance.
 */
export interface CostLimits {
  readonly MAX_COST: number;
  /** Settings of domains. The weights of a domain read the settings of the domain. */
  readonly [domainSetting: string]: unknown;
}

/** Cost of a value in the response: 100 values take the server about as much work as one small call. */
export const LEAF_COST = 0.01;
/** Number of characters that costs as much as one value: writing and sending a long value takes time by its length. */
const CHARS_PER_LEAF = 64;
/** Minimum cost of an event of a subscription: executing the smallest takes 49 us of CPU, a balance 15 us. */
export const MIN_EVENT_COST = 4;
/** Assumed length of a list without a known length, such as a list of introspection. */
export const DEFAULT_LIST_SIZE = 10;
/** Returns the value of an argument by name, before coercion; undefined when it is absent. */
export type ArgumentReader = (name: string) => unknown;

/** Inputs of a field's cost besides its arguments. */
export interface PricingContext {
  readonly limits: CostLimits;
  /** Height of the operation's pinned block; undefined while it is unknown. */
  readonly head: number | undefined;
  /** Whether logs of ranges are read with the headers and receipts that prove them. @default false */
  readonly verifiesLogs?: boolean;
}

/** Length of a list that depends on the request or on the chain. */
export interface ListLength {
  /**
   * Length if nothing is known; the maximum of `of`, except for lengths that arguments state. Routers assume it
   * (`@listSize`).
   */
  readonly assumed: number;
  /**
   * Names of the Int arguments that state the length, if any do. `assumed` is the default value of the first argument
   * in the SDL.
   */
  readonly slicingArguments?: readonly string[];
  /** Returns the length that the arguments state, or an assumption if the weight has `isAssumed`. */
  of(args: ArgumentReader, pricing: PricingContext): number;
}

/** Cost of the values in an input object, for each call that carries them. */
export interface InputCost {
  /** Name of the argument. */
  readonly argument: string;
  /** Fields of the input object whose values have a cost. */
  readonly fields: readonly string[];
  /** Cost of one value, as a number of small calls. */
  readonly perValue: number;
  /** Number of values in the input object. */
  count(input: Readonly<Record<string, unknown>>): number;
}

/** The cost of one field. Empty for a value that is loaded with its parent object. */
export interface FieldWeight {
  /** Number of small calls per parent object; with `size`, per item of the list. */
  readonly calls?: number;
  /** Number of small calls per parent object, independent of the length of the list. */
  readonly fixedCalls?: number;
  /** Number of small calls per parent object that depends on the arguments and on the request. Routers ignore it. */
  readonly requestCalls?: (args: ArgumentReader, pricing: PricingContext) => number;
  /** Cost of an argument per parent object. */
  readonly input?: InputCost;
  /**
   * Number of small calls per parent object if the argument is given; with `value`, only if it has this value. Routers
   * ignore this restriction.
   */
  readonly argumentCalls?: { readonly argument: string; readonly calls: number; readonly value?: string };
  /** Length of the list. A number is an assumption. */
  readonly size?: number | ListLength;
  /** Set if the field returns a connection: the lists of the connection that have the length `size`. */
  readonly sizedFields?: readonly string[];
  /** Typical number of characters of the value, for a field that is known to be long. */
  readonly chars?: number;
  /**
   * Set if the request does not determine the length of the list, so that calls below the list are limited during
   * execution instead of before it.
   */
  readonly isAssumed?: true;
  /** The call that is sent once for all objects of a block: the block with full transactions, or its receipts. */
  readonly needs?: 'fullTransactions' | 'receipts';
  /**
   * Calls that the fields of an entity of another domain may need. Only for routers: the SDL of a single domain does not have these fields.
   */
  readonly referenceCalls?: number;
  /** Set if the field returns blocks, or transactions that are fetched one by one. */
  readonly returns?: 'blocks' | 'transactions';
  /** Fields of the object that are known without a call. Selecting only these fields costs no call. */
  readonly knownFields?: ReadonlySet<string>;
  /** Number of blocks that contain the items of a list; one for each item when omitted. */
  readonly blockCount?: (args: ArgumentReader, pricing: PricingContext) => number;
  /**
   * The only addresses that the objects can have, if the request names them. `same`: the addresses of the parent
   * object.
   */
  readonly addresses?: 'same' | ((args: ArgumentReader) => readonly string[] | undefined);
  /** Assumed maximum number of distinct objects. If the request names addresses, their number replaces it. */
  readonly assumedDistinct?: number;
  /** Number of small calls per distinct address, once per operation. */
  readonly callsPerAddress?: number;
}

/** The weight of a field without a cost. */
export const FREE_FIELD: FieldWeight = {};

/** The entries of fields with equal weights. */
export const weightsOf = (weight: FieldWeight, ...fields: readonly string[]): FieldWeights =>
  Object.fromEntries(fields.map((field) => [field, weight]));

/** The cost of the calls that an argument causes, per parent object. */
export function argumentCost({ argumentCalls }: FieldWeight, args: ArgumentReader): number {
  const value = argumentCalls && args(argumentCalls.argument);
  if (value === null || value === undefined) return 0;
  return argumentCalls!.value === undefined || argumentCalls!.value === value ? argumentCalls!.calls : 0;
}

/** The cost of the field's value in the response. */
export const leafCost = ({ chars = 0 }: FieldWeight): number => LEAF_COST * Math.max(1, chars / CHARS_PER_LEAF);

/** The cost of the values in the field's input object, per parent object. */
export function inputCost({ input }: FieldWeight, args: ArgumentReader): number {
  const value = input && args(input.argument);
  return typeof value === 'object' && value !== null ? input!.perValue * input!.count(value as Record<string, unknown>) : 0;
}

/**
 * Weights by field, `Type.field`. `Type.*` applies to all other fields of the type. A field without a weight is free.
 */
export type FieldWeights = Readonly<Record<string, FieldWeight>>;

/** The weight of a field; undefined when the table has no weight for it. */
export const fieldWeightOf = (weights: FieldWeights, type: string, field: string): FieldWeight | undefined =>
  weights[`${type}.${field}`] ?? weights[`${type}.*`];

/** The name in the weights of a reference to an entity, which a router resolves through `_entities`. */
export const entityWeightName = (type: string): string => `_Entity.${type}`;

/** Weights of the introspection fields, which every schema has. */
export const INTROSPECTION_FIELD_WEIGHTS: FieldWeights = {
  'Query.__schema': FREE_FIELD,
  'Query.__type': FREE_FIELD,
  '__Schema.types': { size: 50 },
};
