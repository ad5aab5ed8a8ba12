import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../connections.ts';

/**
 * The size that an argument states before its coercion, up to a maximum if the field rejects a larger size; `otherwise` without a number. An
 * object of a request may have no primitive value.
 */
export function statedSize(value: unknown, otherwise: number, max: number): number {
  const size = typeof value === 'object' ? otherwise : Number(value ?? otherwise);
  return Number.isNaN(size) ? otherwise : Math.min(max, Math.max(0, size));
}

/** Length of a page whose only size argument is `first`. */
export const firstPageSize: ListLength = {
  assumed: DEFAULT_PAGE_SIZE,
  slicingArguments: ['first'],
  of: (args) => statedSize(args('first'), DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
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
  /** Facts about the operation that the weights of a domain read. @default no facts are known */
  readonly facts?: unknown;
}

/** Length of a list that depends on the request or on the service that returns it. */
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
  /** Returns the length that the arguments state, or an assumption if `isAssumed` is set. */
  of(args: ArgumentReader, pricing: PricingContext): number;
  /**
   * Set if the request does not determine the length, so that calls below the list are limited during execution instead
   * of before it.
   */
  readonly isAssumed?: true;
  /** Returns the number of containers of the items; each item has its own container when omitted. */
  containers?(args: ArgumentReader, pricing: PricingContext): number;
}

/** Number of calls that depends on the operation; routers assume `assumed`. */
export type CallCount = Pick<ListLength, 'assumed' | 'of'>;

/** Cost of an argument, per parent object. Without an argument there is no cost. */
export interface ArgumentCost {
  readonly name: string;
  /** Number of small calls. */
  readonly calls?: number;
  /** The only value that causes the calls. Routers ignore this restriction. @default every value */
  readonly value?: string;
  /** Cost of the values in an input object, for each call that carries them. */
  readonly input?: {
    /** Fields of the input object whose values have a cost. */
    readonly fields: readonly string[];
    /** Cost of one value, as a number of small calls. */
    readonly perValue: number;
    /** Number of values in the input object. */
    count(input: Readonly<Record<string, unknown>>): number;
  };
}

/** A call that is sent once for all objects of a container. For an object that is fetched alone, it is a small call. */
export interface SharedCall {
  /** Cost of the call for one container. */
  readonly cost: number;
  /** Cost per object in the estimates of routers, which price each field alone. */
  readonly costPerObject: number;
}

/** The number of distinct objects, each of which an operation requests once. */
export interface DistinctObjects {
  /** The only keys that the objects can have, if the request names them. `same`: the keys of the parent object. */
  readonly keys?: 'same' | ((args: ArgumentReader) => readonly string[] | undefined);
  /** Assumed maximum number of distinct objects. If the request names keys, their number replaces it. */
  readonly assumed?: number;
  /** Number of small calls per distinct key, once per operation. */
  readonly calls?: number;
}

/** The cost of one field. Empty for a value that is loaded with its parent object. */
export interface FieldWeight {
  /** Number of small calls per parent object; with `size`, per item of the list. */
  readonly calls?: number;
  /** Number of small calls per parent object, independent of the length of the list. */
  readonly fixedCalls?: number | CallCount;
  /** The argument that causes calls or carries values. */
  readonly argument?: ArgumentCost;
  /** Length of the list. A number is an assumption. */
  readonly size?: number | ListLength;
  /** Set if the field returns a connection: the lists of the connection that have the length `size`. */
  readonly sizedFields?: readonly string[];
  /** Typical number of characters of the value, for a field that is known to be long. */
  readonly chars?: number;
  /** The call that fetches the field for all objects of their container. */
  readonly needs?: SharedCall;
  /**
   * Calls that the fields of an entity of another domain may need. Only for routers: the SDL of a single domain does not have these fields.
   */
  readonly referenceCalls?: number;
  /**
   * Set if the field returns containers, whose objects share calls, the container of its parent object, or items that
   * are fetched one by one.
   */
  readonly returns?: 'containers' | 'ownContainer' | 'items';
  /** Fields of the object that are known without a call. Selecting only these fields costs no call. */
  readonly knownFields?: ReadonlySet<string>;
  /** Set if equal objects are requested once. */
  readonly distinct?: DistinctObjects;
}

/** The weight of a field without a cost. */
export const FREE_FIELD: FieldWeight = {};

/** The entries of fields with equal weights. */
export const weightsOf = (weight: FieldWeight, ...fields: readonly string[]): FieldWeights =>
  Object.fromEntries(fields.map((field) => [field, weight]));

/** The number that routers assume for a length or for a number of calls. */
export const assumedNumber = (number: number | CallCount): number => (typeof number === 'object' ? number.assumed : number);

/** The cost of the calls that an argument causes and of the values in its input object, per parent object. */
export function argumentCost({ argument }: FieldWeight, args: ArgumentReader): number {
  const given = argument && args(argument.name);
  if (given === null || given === undefined) return 0;
  const { calls = 0, value, input } = argument!;
  const values = input && typeof given === 'object' ? input.perValue * input.count(given as Record<string, unknown>) : 0;
  return values + (value === undefined || value === given ? calls : 0);
}

/** The cost of the field's value in the response. */
export const leafCost = ({ chars = 0 }: FieldWeight): number => LEAF_COST * Math.max(1, chars / CHARS_PER_LEAF);

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
