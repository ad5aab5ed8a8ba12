import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, parse } from 'graphql';
import { type ResolverMap, scalarResolvers } from './compose.ts';
import { domainSubgraph, entityOwners, stubOwner } from './entities.ts';
import { createEntitiesResolver, entityTypeOf } from './entities-resolver.ts';
import { createSubgraphFieldFilter, resolveEntityReferences } from './entity-references.ts';
import type { AnyDomain } from './sdl.ts';
import { stripFederationDirectives } from './sdl.ts';
import { printSubgraph } from './subgraph-sdl.ts';

/**
 * Builds the federation subgraph of these domains. References between them are resolved as in the single graph; entities of other domains
 * have only their keys and the fields that these domains add.
 */
export function subgraphSchema(domains: readonly AnyDomain[]): GraphQLSchema {
  const subgraphs = domains.map(domainSubgraph);
  const owners = entityOwners([...subgraphs, stubOwner(subgraphs)]);
  const service = { sdl: printSubgraph(domains) };
  const hasEntities = owners.size > 0;
  return makeExecutableSchema({
    typeDefs: [stripFederationDirectives(parse(service.sdl)), parse(federationSdl([...owners.keys()]))],
    resolvers: [
      scalarResolvers,
      ...subgraphs.map(
        (subgraph) => resolveEntityReferences(subgraph, owners, createSubgraphFieldFilter(subgraph, owners)) as ResolverMap,
      ),
      {
        Query: { _service: () => service, ...(hasEntities && { _entities: createEntitiesResolver(owners) }) },
        ...(hasEntities && { _Entity: { __resolveType: entityTypeOf } }),
      },
    ],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** The fields and types that the federation specification adds to a subgraph. */
const federationSdl = (entities: readonly string[]): string => `
  type Query {
    "The SDL of this subgraph, for composition."
    _service: _Service!
    ${entities.length === 0 ? '' : '"Entities by key; null where there is none." _entities("The references." representations: [_Any!]!): [_Entity]!'}
  }
  "This subgraph."
  type _Service { "Its SDL, federation directives included." sdl: String! }
  ${entities.length === 0 ? '' : `"The type name of an entity and the fields of its key." scalar _Any "All entities of this subgraph." union _Entity = ${entities.join(' | ')}`}
`;
