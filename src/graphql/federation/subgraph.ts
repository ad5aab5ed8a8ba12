import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql';
import { GraphError } from '../../errors.ts';
import type { AnyDomain } from '../domain.ts';
import { infoForType } from '../selection.ts';
import { type ResolverMap, scalarResolvers } from './compose.ts';
import { type DomainSubgraph, domainSubgraph, parseReference, type Representation, referenceResolverOf } from './entities.ts';
import { isolateError } from './entity-references.ts';
import { commonSdl, domainSdl, stripFederationDirectives } from './sdl.ts';

const FEDERATION_LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@inaccessible", "@shareable"])
`;

/** A domain's SDL for composition by a router. */
export const subgraphSdl = (domain: AnyDomain): string => `${FEDERATION_LINK}\n${commonSdl()}\n${domainSdl(domain)}`;

/** Builds the federation subgraph of one domain, with the resolvers of the single graph. Entities of other domains have only their keys. */
export function subgraphSchema(domain: AnyDomain): GraphQLSchema {
  const subgraph = domainSubgraph(domain);
  const { Query, ...types } = withoutReferenceResolvers(subgraph);
  const sdl = subgraphSdl(domain);
  return makeExecutableSchema({
    typeDefs: [
      stripFederationDirectives(commonSdl()),
      stripFederationDirectives(domainSdl(domain)),
      federationSdl([...subgraph.entities.keys()]),
    ],
    resolvers: [
      scalarResolvers,
      {
        ...types,
        Query: {
          ...Query,
          _service: () => ({ sdl }),
          ...(subgraph.entities.size > 0 && { _entities: createEntitiesResolver(subgraph) }),
        },
        ...(subgraph.entities.size > 0 && { _Entity: { __resolveType: (value: object) => entityTypeNames.get(value) } }),
      } as ResolverMap,
    ],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** The fields and types that the federation specification adds to a subgraph. */
const federationSdl = (entities: readonly string[]): string => `
  type Query {
    "The SDL of this subgraph, for composition."
    _service: _Service!
    ${entities.length === 0 ? '' : '"Entities by key; null where there is none." _entities(representations: [_Any!]!): [_Entity]!'}
  }
  "This subgraph."
  type _Service { "Its SDL, federation's directives included." sdl: String! }
  ${entities.length === 0 ? '' : `"The type name of an entity and the fields of its key." scalar _Any "All entities of this subgraph." union _Entity = ${entities.join(' | ')}`}
`;

const withoutReferenceResolvers = ({ resolvers }: DomainSubgraph): DomainSubgraph['resolvers'] =>
  Object.fromEntries(Object.entries(resolvers).map(([type, { __resolveReference, ...fields }]) => [type, fields]));

/** The entity type of each resolved object. Kept outside: the objects are the node's own and shared with caches. */
const entityTypeNames = new WeakMap<object, string>();

/** Creates the resolver of `_entities`. It starts all representations in one tick, so that their upstream calls share a request. */
function createEntitiesResolver(subgraph: DomainSubgraph) {
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
      const entity = typeof name === 'string' ? subgraph.entities.get(name) : undefined;
      if (!entity) throw new GraphError('BAD_USER_INPUT', '`__typename` of a representation is not an entity of this subgraph.');
      const reference = parseReference(entity, representation as Representation);
      const resolve = referenceResolverOf(subgraph, entity.name);
      return resolve ? resolve(reference, context, infoOf(entity.name)) : reference;
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
