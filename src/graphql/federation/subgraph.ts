import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType, parse } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { infoForType } from '../selection.ts';
import { type ResolverMap, scalarResolvers } from './compose.ts';
import {
  domainSubgraph,
  type EntityOwner,
  entityOwners,
  parseReference,
  type Representation,
  referenceResolverOf,
  stubOwner,
} from './entities.ts';
import { createSubgraphFieldFilter, isolateError, resolveEntityReferences } from './entity-references.ts';
import { type AnyDomain, stripFederationDirectives } from './sdl.ts';
import { printSubgraph } from './subgraph-sdl.ts';

/** The entity type of each resolved object. Not a property of it: the objects are the node's own and shared with caches. */
const entityTypeNames = new WeakMap<object, string>();

/** Returns the type name of an object that `_entities` has resolved. */
const entityTypeOf = (object: object): string | undefined => entityTypeNames.get(object);

/**
 * Creates the resolver of `_entities`. It starts all representations in one tick, so that their upstream calls share a request. An invalid
 * representation is an error of its item alone.
 */
function createEntitiesResolver(owners: ReadonlyMap<string, EntityOwner>) {
  return (
    _query: unknown,
    { representations }: { representations: readonly unknown[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ): unknown => {
    const infos = new Map<string, GraphQLResolveInfo>();
    const infoOf = (name: string): GraphQLResolveInfo => {
      const type = info.schema.getType(name);
      const typeInfo = infos.get(name) ?? (isObjectType(type) ? infoForType(info, type) : info);
      infos.set(name, typeInfo);
      return typeInfo;
    };
    const resolveEntity = (representation: unknown): unknown => {
      const { __typename: name } = (representation ?? {}) as { __typename?: unknown };
      const owner = typeof name === 'string' ? owners.get(name) : undefined;
      if (!owner) throw new GraphError('BAD_USER_INPUT', '`__typename` of a representation is not an entity of this subgraph.');
      const entity = owner.entities.get(name as string)!;
      const reference = parseReference(entity, representation as Representation);
      return referenceResolverOf(owner, entity.name)!(reference, context, infoOf(entity.name));
    };
    const tagType = (object: unknown, { __typename }: { __typename: string }): unknown => {
      if (typeof object === 'object' && object !== null) entityTypeNames.set(object, __typename);
      return object;
    };
    return representations.map((representation) =>
      isolateError(() => {
        const object = resolveEntity(representation);
        const reference = representation as { __typename: string };
        return object instanceof Promise ? object.then((resolved) => tagType(resolved, reference)) : tagType(object, reference);
      }),
    );
  };
}

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
