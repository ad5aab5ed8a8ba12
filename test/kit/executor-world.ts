import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql';
import { once, type Selection, selectionOf } from '../../src/graphql/selection.ts';
import { thenable } from './executor-both.ts';
import { random } from './prove.ts';

/** How a field gets its value: a resolver with or without info, a property of its object, or a function that is one. */
type Way = 'info' | 'plain' | 'property' | 'method';

/** A field as `type(arguments)`; one without arguments is a property, one with arguments a resolver, unless a way is named. */
type FieldRow = readonly [type: string, args?: string, way?: Way];

const NODE: Record<string, FieldRow> = {
  id: ['ID!'],
  asked: ['String'],
  self: ['Node', '', 'info'],
  peers: ['[Node!]', '(n: Int = 2, in: In)', 'method'],
};
const NAMED: Record<string, FieldRow> = { ...NODE, name: ['String'] };

/** Every kind of type, and null and not null wherever they can be. */
const ROWS: Record<string, Record<string, FieldRow>> = {
  Query: {
    a: ['A', '(i: Int)', 'info'],
    b: ['B!', '', 'plain'],
    c: ['C', '(l: [Int!])', 'plain'],
    node: ['Node', '(i: Int = 1)', 'info'],
    named: ['Named!', '(in: In)', 'info'],
    us: ['[U]', '', 'plain'],
    grid: ['[[Named!]]', '', 'info'],
    text: ['String', '(c: Color = RED, s: String)', 'plain'],
    self: ['Query', '', 'plain'],
    surely: ['Query!', '', 'info'],
  },
  Mutation: {
    a: ['A', '(i: Int)', 'info'],
    b: ['B!', '', 'plain'],
    us: ['[U]', '', 'plain'],
    text: ['String', '(c: Color = RED, s: String)', 'plain'],
    doNothing: ['Int', '', 'plain'],
    mustDo: ['Int!', '', 'info'],
  },
  A: {
    ...NAMED,
    int: ['Int'],
    ints: ['[Int!]'],
    matrix: ['[[Int]!]'],
    b: ['B!'],
    u: ['U', '', 'plain'],
    all: ['[U!]!', '', 'info'],
    color: ['Color'],
    json: ['Json', '(v: Json)', 'plain'],
    echo: ['String', '(in: In, c: Color = GREEN, i: Int = 1, l: [Int!])', 'method'],
  },
  B: {
    ...NODE,
    float: ['Float!'],
    flag: ['Boolean!'],
    colors: ['[Color!]!'],
    as: ['[A]'],
    table: ['[[A!]!]', '', 'info'],
    c: ['C', '(l: [Int!])', 'plain'],
  },
  C: {
    ...NAMED,
    v: ['V!', '', 'plain'],
    vs: ['[[V]]'],
    odd: ['Odd'],
    odds: ['[Odd!]'],
    deep: ['C!', '', 'info'],
    strings: ['[String]!', '', 'plain'],
  },
};

const sdl = (isStrict: boolean): string => {
  const fieldsOf = (rows: Record<string, FieldRow>) =>
    Object.entries(rows).map(([name, [type, args = '']]) => `${name}${args}: ${isStrict ? type : type.replaceAll('!', '')}`);
  const block = (head: string, rows: Record<string, FieldRow>) => `${head} { ${fieldsOf(rows).join('\n')} }`;
  return [
    block('interface Node', NODE),
    block('interface Named implements Node', NAMED),
    block('type Query', ROWS.Query!),
    block('type Mutation', ROWS.Mutation!),
    block('type A implements Named & Node', ROWS.A!),
    block('type B implements Node', ROWS.B!),
    block('type C implements Named & Node', ROWS.C!),
    'union U = A | B',
    'union V = B | C',
    'enum Color { RED, GREEN, BLUE }',
    'input In { i: Int = 3, sure: Int! = 7, l: [[Int]], in: In, c: Color, j: Json }',
    'scalar Odd',
    'scalar Json',
  ].join('\n');
};

const STRINGS = [
  '',
  'text',
  '"',
  '\\',
  'a\nb\tc\0',
  '\ud800',
  '\udc00x',
  '\u2028\u2029',
  '\u{1f9d9}',
  '</script>',
  '__proto__',
  'ü',
];
const JSONS = [0, -0, 1.5, 'x"y', true, [], [null, [{}]], { __proto__: null, b: 1, a: ['\u2028'], no: undefined }, new Date(0)];
const COLORS = [{ r: 255 }, 'green', 3];

const GOOD: Record<string, readonly unknown[]> = {
  Int: [0, -1, 2147483647, '12', true],
  Float: [0.1, -1e21, 5e-324, 7],
  String: [...STRINGS, 7, false],
  Boolean: [true, false, 0],
  ID: ['id', 7, '"'],
  Color: COLORS,
  Odd: [1, 3, 5],
  Json: JSONS,
};

/** What each kind of value cannot be. */
const BAD: Record<string, readonly unknown[]> = {
  Int: ['nope', 1.5, 2 ** 31, {}],
  Float: ['nope', Number.NaN, {}],
  String: [{}, [1]],
  Boolean: ['maybe', {}],
  ID: [{}, 1.5],
  Color: ['RED', 99],
  Odd: [2, 4],
  Json: [new Error('no JSON')],
};
const NO_LISTS = ['text', 7, {}, { length: 1 }, { [Symbol.iterator]: 1 }];
const NO_TYPES = ['Ghost', 'Query', 'Node', 'Color', undefined, 7];

const Odd = new GraphQLScalarType({
  name: 'Odd',
  serialize(value) {
    if (Number(value) % 2 === 0) throw new Error(`${value} is even.`);
    return { odd: value };
  },
});

/** How an operation's world is: how often things fail or come late. */
export interface Weather {
  readonly salt: number;
  /** From 0 to 1. */
  readonly failing: number;
  readonly late: number;
}

/** What is resolved is told by the place and the salt, so that whoever executes finds the same. */
export class World {
  readonly weather: Weather;
  /** All at once, when false; the values are the same. */
  readonly #timed: boolean;
  /** Null where it may not be is an error of its own: for a schema that allows null everywhere. */
  readonly #tellsOfNull: boolean;
  /** The mutations in the order in which they began. */
  readonly begun: string[] = [];

  constructor(weather: Weather, { timed, tellsOfNull = false }: { timed: boolean; tellsOfNull?: boolean }) {
    this.weather = weather;
    this.#timed = timed;
    this.#tellsOfNull = tellsOfNull;
  }

  value(parent: string, field: string, key: string, asked?: string): unknown {
    const next = random(hash(`${this.weather.salt} ${key}`));
    if (next() < this.weather.failing / 3) {
      const error = new Error(`thrown at ${key}`);
      throw next() < 0.8 ? error : error.message;
    }
    const type = (strict.getType(parent) as GraphQLObjectType).getFields()[field]!.type;
    return this.#position(type, { label: `${parent}.${field}`, asked, next }, key);
  }

  /** The value of a field or of an item. */
  #position(type: GraphQLOutputType, place: Place, key: string): unknown {
    const { next } = place;
    const inner = isNonNullType(type) ? type.ofType : type;
    const chance = next();
    const kind = next();
    let value: unknown;
    if (chance < this.weather.failing) {
      if (kind < 0.3) value = this.#missing(type, place, kind < 0.2 ? null : undefined);
      else if (kind < 0.5) value = new Error(`given at ${key}`);
      else if (kind < 0.7) return this.#rejection(next() < 0.8 ? new Error(`rejected at ${key}`) : `rejected at ${key}`, next);
      else value = this.#wrong(inner, place, key);
    } else if (!isNonNullType(type) && kind < 0.08) value = kind < 0.05 ? null : undefined;
    else value = this.#right(inner, place, key);
    return this.soon(value, next);
  }

  #missing(type: GraphQLOutputType, { label }: Place, value: unknown): unknown {
    if (!this.#tellsOfNull || !isNonNullType(type)) return value;
    return new Error(`Cannot return null for non-nullable field ${label}.`);
  }

  #right(type: GraphQLOutputType, place: Place, key: string): unknown {
    const { next, asked } = place;
    if (isLeafType(type)) return pick(GOOD[type.name]!, next);
    if (isListType(type)) {
      const items = Array.from({ length: Math.floor(next() * 3.5) }, (_none, i) =>
        this.#position(type.ofType, place, `${key}.${i}`),
      );
      return iterable(items, next());
    }
    if (!isAbstractType(type)) return thing(this, (type as GraphQLObjectType).name, key, asked);
    return thing(this, pick(strict.getPossibleTypes(type as GraphQLAbstractType), next).name, key, asked);
  }

  #wrong(type: GraphQLOutputType, { next, asked }: Place, key: string): unknown {
    if (isLeafType(type)) return pick(BAD[type.name]!, next);
    if (isListType(type)) return pick(NO_LISTS, next);
    if (isAbstractType(type)) return thing(this, pick(NO_TYPES, next), key, asked);
    return new Error(`wrong at ${key}`);
  }

  /** A value, at once or in one of the ways to be late. */
  soon(value: unknown, next: () => number): unknown {
    const way = next() < this.weather.late ? Math.floor(next() * 5) : -1;
    if (!this.#timed || way === -1) return value;
    if (way === 0) return Promise.resolve(value);
    if (way === 1) return turn().then(() => value);
    if (way === 2) return hops(3).then(() => value);
    if (way === 3)
      return thenable((...both) =>
        hops(1)
          .then(() => value)
          .then(...both),
      );
    return (async () => value)();
  }

  #rejection(reason: unknown, next: () => number): unknown {
    const way = Math.floor(next() * 3);
    // Whoever throws text, and gives it for a value, would not be understood.
    if (!this.#timed) return reason instanceof Error ? reason : new Error(`Unexpected error value: ${JSON.stringify(reason)}`);
    if (way === 0) return Promise.reject(reason);
    return (way === 1 ? turn() : hops(2)).then(() => {
      throw reason;
    });
  }
}

interface Place {
  readonly label: string;
  readonly asked: string | undefined;
  readonly next: () => number;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function hops(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined;
}

const pick = <T>(from: readonly T[], next: () => number): T => from[Math.floor(next() * from.length)]!;

function iterable(items: unknown[], kind: number): Iterable<unknown> {
  if (kind < 0.8) return items;
  if (kind < 0.9) return new Map(items.entries()).values();
  return (function* () {
    yield* items;
  })();
}

function hash(text: string): number {
  let mixed = 2166136261;
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 16777619);
  return mixed >>> 0;
}

/** An object of some type, which knows its place, and what its resolver has seen to be asked of it. */
interface Thing {
  readonly world: World;
  readonly kind: unknown;
  readonly key: string;
  readonly asked: string | undefined;
}

const PROTOTYPES: Record<string, object> = Object.fromEntries(
  Object.entries(ROWS).map(([type, rows]) => [type, prototypeOf(type, rows)]),
);

function prototypeOf(type: string, rows: Record<string, FieldRow>): object {
  const prototype = {};
  for (const [name, [, args, way = 'property']] of Object.entries(rows)) {
    if (name === 'asked') continue;
    if (way === 'property') {
      Object.defineProperty(prototype, name, {
        get(this: Thing) {
          return this.world.value(type, name, `${this.key}.${name}`);
        },
      });
    } else if (way === 'method') {
      Object.defineProperty(prototype, name, {
        value(this: Thing, given: unknown, world: World, info: GraphQLResolveInfo) {
          return world.value(type, name, `${this.key}.${name}${args && JSON.stringify(given)}`, planOf(info));
        },
      });
    }
  }
  return prototype;
}

function thing(world: World, kind: unknown, key: string, asked: string | undefined): Thing {
  const prototype = typeof kind === 'string' && Object.hasOwn(PROTOTYPES, kind) ? PROTOTYPES[kind]! : null;
  return Object.assign(Object.create(prototype), { world, kind, key, asked });
}

/** What is asked below a field, which is a wrong thing to know if it is kept for too long. */
const planOf = once((info) => textOf(selectionOf(info), info));

const NAMES = [...new Set(Object.values(ROWS).flatMap((rows) => Object.keys(rows)))];

const textOf = (selection: Selection, info: GraphQLResolveInfo): string =>
  NAMES.filter((name) => selection.has(name))
    .map((name) => {
      const nodes = selection
        .nodes(name)
        .map(({ arguments: given = [] }) =>
          given.map((one) => `${one.name.value}: ${JSON.stringify(valueFromASTUntyped(one.value, info.variableValues))}`),
        );
      return `${name}(${nodes.join('|')}){${textOf(selection.below(name), info)}}`;
    })
    .join(' ');

const keyOf = (path: GraphQLResolveInfo['path'] | undefined): string => (path ? `${keyOf(path.prev)}.${path.key}` : '');

function resolverOf(type: string, name: string, way: Way) {
  const begin = (world: World, key: string) => {
    if (type === 'Mutation') world.begun.push(key);
  };
  if (way === 'info') {
    return (_source: unknown, args: unknown, world: World, info: GraphQLResolveInfo) => {
      const key = `${keyOf(info.path)}${JSON.stringify(args)}`;
      begin(world, key);
      return world.value(type, name, key, planOf(info));
    };
  }
  return (source: Thing | undefined, args: unknown, world: World) => {
    const key = `${source?.key ?? ''}.${name}${JSON.stringify(args)}`;
    begin(world, key);
    return world.value(type, name, key);
  };
}

/** Whether a kind is named at once or later; now and then it cannot be told. */
const kindOf = ({ kind, key }: Thing, world: World): unknown => {
  const next = random(hash(`${world.weather.salt} kind ${key}`));
  if (next() < world.weather.failing / 10) throw new Error(`no telling at ${key}`);
  return world.soon(kind, next);
};

/** `V` asks its types whether they know the value. */
const knows = (name: string) => (thing: Thing, world: World) => {
  const is = thing.kind === name;
  return world.soon(is, random(hash(`${world.weather.salt} ${name} ${thing.key}`)));
};

const resolvers = {
  ...Object.fromEntries(
    Object.entries(ROWS).map(([type, rows]) => [
      type,
      Object.fromEntries(
        Object.entries(rows).flatMap(([name, [, , way = 'property']]) =>
          way === 'info' || way === 'plain' ? [[name, resolverOf(type, name, way)]] : [],
        ),
      ),
    ]),
  ),
  Node: { __resolveType: kindOf },
  Named: { __resolveType: kindOf },
  U: { __resolveType: ({ kind }: Thing) => kind },
  Color: { RED: COLORS[0], GREEN: COLORS[1], BLUE: COLORS[2] },
  Odd,
  Json: new GraphQLScalarType({ name: 'Json' }),
};
Object.assign(resolvers, {
  B: { ...(resolvers as any).B, __isTypeOf: knows('B') },
  C: { ...(resolvers as any).C, __isTypeOf: knows('C') },
});

const made = (isStrict: boolean): GraphQLSchema => makeExecutableSchema({ typeDefs: sdl(isStrict), resolvers: resolvers as any });

export const strict = made(true);
/** The same, where everything may be null: nothing that fails keeps anything else from being told. */
export const lenient = made(false);
