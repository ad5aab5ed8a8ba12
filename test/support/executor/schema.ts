import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLResolveInfo, GraphQLScalarType, type GraphQLSchema } from 'graphql';
import { random } from '../random-tests.ts';
import { fnv1a, type RandomObject, type RandomValues, selectionText } from './random-values.ts';
import { COLORS, FIELDS_BY_TYPE, type ResolverKind, sdl } from './schema-fields.ts';

const Odd = new GraphQLScalarType({
  name: 'Odd',
  serialize(value) {
    if (Number(value) % 2 === 0) throw new Error(`${value} is even.`);
    return { odd: value };
  },
});

const keyOf = (path: GraphQLResolveInfo['path'] | undefined): string => (path ? `${keyOf(path.prev)}.${path.key}` : '');

function resolverOf(type: string, name: string, way: ResolverKind) {
  const begin = (world: RandomValues, key: string) => {
    if (type === 'Mutation') world.startedMutations.push(key);
  };
  if (way === 'info') {
    return (_source: unknown, args: unknown, world: RandomValues, info: GraphQLResolveInfo) => {
      const key = `${keyOf(info.path)}${JSON.stringify(args)}`;
      begin(world, key);
      return world.value(type, name, key, selectionText(info));
    };
  }
  return (source: RandomObject | undefined, args: unknown, world: RandomValues) => {
    const key = `${source?.key ?? ''}.${name}${JSON.stringify(args)}`;
    begin(world, key);
    return world.value(type, name, key);
  };
}

/** Resolves the type of an object synchronously or later; sometimes it fails. */
const resolveTypeName = ({ kind, key }: RandomObject, world: RandomValues): unknown => {
  const next = random(fnv1a(`${world.rates.salt} kind ${key}`));
  if (next() < world.rates.failureRate / 10) throw new Error(`no telling at ${key}`);
  return world.withDelay(kind, next);
};

/** `V` resolves by `isTypeOf`. */
const isTypeOf = (name: string) => (thing: RandomObject, world: RandomValues) => {
  const is = thing.kind === name;
  return world.withDelay(is, random(fnv1a(`${world.rates.salt} ${name} ${thing.key}`)));
};

const resolvers = {
  ...Object.fromEntries(
    Object.entries(FIELDS_BY_TYPE).map(([type, rows]) => [
      type,
      Object.fromEntries(
        Object.entries(rows).flatMap(([name, [, , way = 'property']]) =>
          way === 'info' || way === 'plain' ? [[name, resolverOf(type, name, way)]] : [],
        ),
      ),
    ]),
  ),
  Node: { __resolveType: resolveTypeName },
  Named: { __resolveType: resolveTypeName },
  U: { __resolveType: ({ kind }: RandomObject) => kind },
  Color: { RED: COLORS[0], GREEN: COLORS[1], BLUE: COLORS[2] },
  Odd,
  Json: new GraphQLScalarType({ name: 'Json' }),
};
Object.assign(resolvers, {
  B: { ...(resolvers as any).B, __isTypeOf: isTypeOf('B') },
  C: { ...(resolvers as any).C, __isTypeOf: isTypeOf('C') },
});

export const strictSchema: GraphQLSchema = makeExecutableSchema({ typeDefs: sdl, resolvers: resolvers as any });
