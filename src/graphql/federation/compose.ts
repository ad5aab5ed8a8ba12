import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { scalars } from '../scalars.ts';
import { domainSubgraph, ownedEntities } from './entities.ts';
import { createFieldFilter, resolveEntityReferences } from './entity-references.ts';
import { type AnyDomain, commonSdl, domainSdl, stripFederationDirectives } from './sdl.ts';

/** Resolvers by type, as `makeExecutableSchema` accepts them. */
export type ResolverMap = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

/** Resolvers of the scalars. Not GraphQLScalarType objects: those would override the descriptions of the SDL. */
export const scalarResolvers = Object.fromEntries(
  Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral, extensions }]) => [
    name,
    { __serialize: serialize, __parseValue: parseValue, __parseLiteral: parseLiteral, __extensions: extensions },
  ]),
);

/** Composes the SDL and the resolvers of all domains into one executable schema, without the fields that only routers use. */
export function composeSchema(domains: readonly AnyDomain[]): GraphQLSchema {
  const subgraphs = domains.map(domainSubgraph);
  const entities = ownedEntities(subgraphs, false);
  const parts = subgraphs.map((subgraph) => {
    const includesField = createFieldFilter(subgraph, entities, false);
    return {
      typeDefs: stripFederationDirectives(parse(domainSdl(subgraph.domain)), includesField),
      resolvers: resolveEntityReferences(subgraph, entities, includesField) as ResolverMap,
    };
  });
  return makeExecutableSchema({
    typeDefs: [stripFederationDirectives(parse(commonSdl())), ...parts.map(({ typeDefs }) => typeDefs)],
    resolvers: [scalarResolvers, ...parts.map(({ resolvers }) => resolvers)],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** Prints a schema in lexicographic order, independent of the order of SDL files. */
export const printGraph = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
