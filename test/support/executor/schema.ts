import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLResolveInfo, GraphQLScalarType, type GraphQLSchema } from 'graphql';
import { random } from '../prove.ts';
import { COLORS, ROWS, sdl, type Way } from './rows.ts';
import { hash, planOf, type Thing, type World } from './world.ts';

const Odd = new GraphQLScalarType({
  name: 'Odd',
  serialize(value) {
    if (Number(value) % 2 === 0) throw new Error(`${value} is even.`);
    return { odd: value };
  },
});

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
