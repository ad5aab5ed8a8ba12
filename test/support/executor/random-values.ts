import {
  buildSchema,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql';
import { memoizePerSelection, type Selection, selectionOf } from '../../../src/graphql/selection.ts';
import { random } from '../random-tests.ts';
import { thenable } from './differential-execution.ts';
import { COLORS, FIELDS_BY_TYPE, type FieldDefinition, sdl } from './schema-fields.ts';

/** The underlying types of the fields of every schema. */
const shape = buildSchema(sdl);

const STRINGS = ['', 'text', '"', '\\', 'a\nb\tc\0', '\ud800', '\udc00x', '\u2028\u2029', '\u{1f9d9}', '</script>', '__proto__'];
const JSONS = [0, -0, 1.5, 'x"y', true, [], [null, [{}]], { __proto__: null, b: 1, a: ['\u2028'], no: undefined }, new Date(0)];

const VALID_VALUES: Record<string, readonly unknown[]> = {
  Int: [0, -1, 2147483647, '12', true],
  Float: [0.1, -1e21, 5e-324, 7],
  String: [...STRINGS, 7, false],
  Boolean: [true, false, 0],
  ID: ['id', 7, '"'],
  Color: COLORS,
  Odd: [1, 3, 5],
  Json: JSONS,
};

/** Invalid values by kind. */
const INVALID_VALUES: Record<string, readonly unknown[]> = {
  Int: ['nope', 1.5, 2 ** 31, {}],
  Float: ['nope', Number.NaN, {}],
  String: [{}, [1]],
  Boolean: ['maybe', {}],
  ID: [{}, 1.5],
  Color: ['RED', 99],
  Odd: [2, 4],
  Json: [new Error('no JSON')],
};
const INVALID_LISTS = ['text', 7, {}, { length: 1 }, { [Symbol.iterator]: 1 }];
const INVALID_TYPE_NAMES = ['Ghost', 'Query', 'Node', 'Color', undefined, 7];

/** How often values fail or are asynchronous. */
export interface RandomRates {
  readonly salt: number;
  /** From 0 to 1. */
  readonly failureRate: number;
  readonly delayRate: number;
}

/** Path and salt determine each value, so that both executors get equal values. */
export class RandomValues {
  readonly rates: RandomRates;
  readonly #isAsync: boolean;
  /** Mutations in starting order. */
  readonly startedMutations: string[] = [];

  /** `isAsync`: whether values may be asynchronous. It does not change the values themselves. */
  constructor(rates: RandomRates, isAsync: boolean) {
    this.rates = rates;
    this.#isAsync = isAsync;
  }

  value(parent: string, field: string, key: string, requested?: string): unknown {
    const next = random(fnv1a(`${this.rates.salt} ${key}`));
    if (next() < this.rates.failureRate / 3) {
      const error = new Error(`thrown at ${key}`);
      throw next() < 0.8 ? error : error.message;
    }
    const type = (shape.getType(parent) as GraphQLObjectType).getFields()[field]!.type;
    return this.#valueAt(type, { requested, next }, key);
  }

  /** The value of a field or of an item. */
  #valueAt(type: GraphQLOutputType, place: FieldPosition, key: string): unknown {
    const { next } = place;
    const inner = isNonNullType(type) ? type.ofType : type;
    const chance = next();
    const kind = next();
    let value: unknown;
    if (chance < this.rates.failureRate) {
      if (kind < 0.3) value = kind < 0.2 ? null : undefined;
      else if (kind < 0.5) value = new Error(`given at ${key}`);
      else if (kind < 0.7) return this.#rejection(next() < 0.8 ? new Error(`rejected at ${key}`) : `rejected at ${key}`, next);
      else value = this.#invalidValue(inner, place, key);
    } else if (!isNonNullType(type) && kind < 0.08) value = kind < 0.05 ? null : undefined;
    else value = this.#validValue(inner, place, key);
    return this.withDelay(value, next);
  }

  #validValue(type: GraphQLOutputType, place: FieldPosition, key: string): unknown {
    const { next, requested } = place;
    if (isLeafType(type)) return pick(VALID_VALUES[type.name]!, next);
    if (isListType(type)) {
      const items = Array.from({ length: Math.floor(next() * 3.5) }, (_none, i) =>
        this.#valueAt(type.ofType, place, `${key}.${i}`),
      );
      return iterable(items, next());
    }
    if (!isAbstractType(type)) return createRandomObject(this, (type as GraphQLObjectType).name, key, requested);
    return createRandomObject(this, pick(shape.getPossibleTypes(type as GraphQLAbstractType), next).name, key, requested);
  }

  #invalidValue(type: GraphQLOutputType, { next, requested }: FieldPosition, key: string): unknown {
    if (isLeafType(type)) return pick(INVALID_VALUES[type.name]!, next);
    if (isListType(type)) return pick(INVALID_LISTS, next);
    if (isAbstractType(type)) return createRandomObject(this, pick(INVALID_TYPE_NAMES, next), key, requested);
    return new Error(`wrong at ${key}`);
  }

  /** A value, synchronous or asynchronous. */
  withDelay(value: unknown, next: () => number): unknown {
    const way = next() < this.rates.delayRate ? Math.floor(next() * 5) : -1;
    if (!this.#isAsync || way === -1) return value;
    if (way === 0) return Promise.resolve(value);
    if (way === 1) {
      // An item that rejects before the list arrives has no handler yet, in any executor.
      ignoreRejections([value]);
      return nextTurn().then(() => value);
    }
    if (way === 2) return microtasks(3).then(() => value);
    if (way === 3) return (async () => value)();
    const late = microtasks(1).then(() => value);
    return thenable((...both) => late.then(...both));
  }

  #rejection(reason: unknown, next: () => number): unknown {
    const way = Math.floor(next() * 3);
    // At once it is the value itself, which has to be an error to be taken for one.
    if (!this.#isAsync) return reason instanceof Error ? reason : new Error(`Unexpected error value: ${JSON.stringify(reason)}`);
    if (way === 0) return Promise.reject(reason);
    return (way === 1 ? nextTurn() : microtasks(2)).then(() => {
      throw reason;
    });
  }
}

interface FieldPosition {
  readonly requested: string | undefined;
  readonly next: () => number;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined;
}

const pick = <T>(from: readonly T[], next: () => number): T => from[Math.floor(next() * from.length)]!;

function iterable(items: unknown[], kind: number): Iterable<unknown> {
  if (kind < 0.8) return items;
  // An iterator that is returned before its first item has no known value.
  ignoreRejections(items);
  if (kind < 0.9) return new Map(items.entries()).values();
  return (function* () {
    yield* items;
  })();
}

/** Marks the rejections of these promises as handled. */
function ignoreRejections(values: readonly unknown[]): void {
  for (const value of values) {
    if (value instanceof Promise) value.catch(() => {});
    else if (Array.isArray(value)) ignoreRejections(value);
  }
}

export function fnv1a(text: string): number {
  let mixed = 2166136261;
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 16777619);
  return mixed >>> 0;
}

/** A random object with its position, and the selection that its resolver has seen. */
export interface RandomObject {
  readonly values: RandomValues;
  readonly kind: unknown;
  readonly key: string;
  readonly requested: string | undefined;
}

const PROTOTYPES: Record<string, object> = Object.fromEntries(
  Object.entries(FIELDS_BY_TYPE).map(([type, rows]) => [type, prototypeOf(type, rows)]),
);

function prototypeOf(type: string, rows: Record<string, FieldDefinition>): object {
  const prototype = {};
  for (const [name, [, args, way = 'property']] of Object.entries(rows)) {
    if (name === 'requested') continue;
    if (way === 'property') {
      Object.defineProperty(prototype, name, {
        get(this: RandomObject) {
          return this.values.value(type, name, `${this.key}.${name}`);
        },
      });
    } else if (way === 'method') {
      Object.defineProperty(prototype, name, {
        value(this: RandomObject, given: unknown, world: RandomValues, info: GraphQLResolveInfo) {
          return world.value(type, name, `${this.key}.${name}${args && JSON.stringify(given)}`, selectionText(info));
        },
      });
    }
  }
  return prototype;
}

function createRandomObject(world: RandomValues, kind: unknown, key: string, requested: string | undefined): RandomObject {
  const prototype = typeof kind === 'string' && Object.hasOwn(PROTOTYPES, kind) ? PROTOTYPES[kind]! : null;
  return Object.assign(Object.create(prototype), { values: world, kind, key, requested });
}

/** The selection below a field, which must not be cached across operations. */
export const selectionText = memoizePerSelection((info) => textOf(selectionOf(info), info));

const NAMES = [...new Set(Object.values(FIELDS_BY_TYPE).flatMap((rows) => Object.keys(rows)))];

const textOf = (selection: Selection, info: GraphQLResolveInfo): string =>
  NAMES.filter((name) => selection.has(name))
    .map((name) => {
      const nodes = selection
        .nodes(name)
        .map(({ arguments: given = [] }) =>
          given.map((one) => `${one.name.value}: ${JSON.stringify(valueFromASTUntyped(one.value, info.variableValues))}`),
        );
      return `${name}(${nodes.join('|')}){${textOf(selection.subselection(name), info)}}`;
    })
    .join(' ');
