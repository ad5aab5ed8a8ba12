import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema, parse } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { infoForType } from '../selection.ts';
import { type ResolverMap, scalarResolvers } from './compose.ts';
import { domainSubgraph, type OwnedEntity, ownedEntities, parseReference, type Representation } from './entities.ts';
import { createFieldFilter, isolateError, resolveEntityReferences } from './entity-references.ts';
import { type AnyDomain, stripFederationDirectives } from './sdl.ts';
import { printSubgraph } from './subgraph-sdl.ts';

/** The entity type of each resolved object. Not a property of it: the objects are the node's own and shared with caches. */
const entityTypeNames = new WeakMap<object, string>();

/**
 * Creates the resolver of `_entities`. It starts all representations in one tick, so that their upstream calls share a request. An invalid
 * representation is an error of its item alone.
 */
function createEntitiesResolver(entities: ReadonlyMap<unknown, OwnedEntity>) {
  return (
    _query: unknown,
    { representations }: { representations: readonly unknown[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ): unknown => {
    const infos = new Map<string, GraphQLResolveInfo>();
    const infoOf = (name: string): GraphQLResolveInfo => {
      const typeInfo = infos.get(name) ?? infoForType(info, info.schema.getType(name) as GraphQLObjectType);
      infos.set(name, typeInfo);
      return typeInfo;
    };
    const resolveEntity = (representation: unknown): unknown => {
      const { __typename } = (representation ?? {}) as { __typename?: unknown };
      const entity = entities.get(__typename);
      if (!entity) throw new GraphError('BAD_USER_INPUT', '`__typename` of a representation is not an entity of this subgraph.');
      const tagType = (object: unknown): unknown => {
        if (typeof object === 'object' && object !== null) entityTypeNames.set(object, entity.name);
        return object;
      };
      const reference = parseReference(entity, representation as Representation);
      const object = entity.resolveReference(reference, context, infoOf(entity.name));
      return object instanceof Promise ? object.then(tagType) : tagType(object);
    };
    return representations.map((representation) => isolateError(() => resolveEntity(representation)));
  };
}

/**
 * Builds the federation subgraph of these domains. References between them are resolved as in the single graph; entities of other domains
 * have only their keys and the fields that these domains add.
 */
export function subgraphSchema(domains: readonly AnyDomain[]): GraphQLSchema {
  const subgraphs = domains.map(domainSubgraph);
  const entities = ownedEntities(subgraphs, true);
  const service = { sdl: printSubgraph(domains) };
  const hasEntities = entities.size > 0;
  return makeExecutableSchema({
    typeDefs: [stripFederationDirectives(parse(service.sdl)), parse(federationSdl([...entities.keys()]))],
    resolvers: [
      scalarResolvers,
      ...subgraphs.map(
        (subgraph) => resolveEntityReferences(subgraph, entities, createFieldFilter(subgraph, entities, true)) as ResolverMap,
      ),
      {
        Query: { _service: () => service, ...(hasEntities && { _entities: createEntitiesResolver(entities) }) },
        ...(hasEntities && { _Entity: { __resolveType: (object: object) => entityTypeNames.get(object) } }),
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
