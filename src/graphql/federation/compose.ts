import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { AnyDomain } from '../domain.ts';
import { scalars } from '../scalars.ts';
import { domainSubgraph, entityOwners } from './entities.ts';
import { createGraphFieldFilter, resolveEntityReferences } from './entity-references.ts';
import { commonSdl, domainSdl, stripFederationDirectives } from './sdl.ts';

export type ResolverMap = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

// In this form the descriptions of the SDL stay; a whole GraphQLScalarType would put its own in their place.
export const scalarResolvers = Object.fromEntries(
  Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral, extensions }]) => [
    name,
    { __serialize: serialize, __parseValue: parseValue, __parseLiteral: parseLiteral, __extensions: extensions },
  ]),
);

/** One executable schema from the SDL and the resolvers of all domains, without anything that only routers need. */
export function composeSchema(domains: readonly AnyDomain[]): GraphQLSchema {
  const parts = domains.map(domainSubgraph);
  const owners = entityOwners(parts);
  return makeExecutableSchema({
    typeDefs: [
      stripFederationDirectives(commonSdl()),
      ...parts.map((part) => stripFederationDirectives(domainSdl(part.domain), createGraphFieldFilter(part, owners))),
    ],
    resolvers: [scalarResolvers, ...parts.map((part) => resolveEntityReferences(part, owners) as ResolverMap)],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** The public API as text, in an order that does not depend on files. */
export const printGraph = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
