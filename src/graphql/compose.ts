import { readdirSync, readFileSync } from 'node:fs';
import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { AnyDomain } from './domain.ts';
import { scalars } from './scalars.ts';

type Resolvers = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

const ROOT = new URL('../../', import.meta.url);

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const sdlOf = ({ schema }: AnyDomain): string[] =>
  readdirSync(new URL(`${schema}/`, ROOT))
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => read(`${schema}/${file}`));

// In this form the descriptions of the SDL stay; a whole GraphQLScalarType would put its own in their place.
const scalarResolvers = Object.fromEntries(
  Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral, extensions }]) => [
    name,
    { __serialize: serialize, __parseValue: parseValue, __parseLiteral: parseLiteral, __extensions: extensions },
  ]),
);

/** One executable schema from the SDL and the resolvers of all domains. */
export const compose = (domains: readonly AnyDomain[]): GraphQLSchema =>
  makeExecutableSchema({
    typeDefs: [read('schema/common.graphql'), ...domains.flatMap(sdlOf)],
    resolvers: [scalarResolvers, ...domains.map(({ resolvers }) => resolvers as Resolvers)],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });

/** The public API as text, in an order that does not depend on files. */
export const printGraph = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
