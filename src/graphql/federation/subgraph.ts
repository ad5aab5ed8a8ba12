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

/** A domain's SDL as a composer takes it. */
export const subgraphSdl = (domain: AnyDomain): string => `${FEDERATION_LINK}\n${commonSdl()}\n${domainSdl(domain)}`;

/**
 * One domain as a federation subgraph that a router can ask, by the same functions as in the one graph. An entity of another domain
 * is the key alone here.
 */
export function subgraphSchema(domain: AnyDomain): GraphQLSchema {
  const part = domainSubgraph(domain);
  const { Query, ...types } = withoutReferenceResolvers(part);
  const sdl = subgraphSdl(domain);
  return makeExecutableSchema({
    typeDefs: [
      stripFederationDirectives(commonSdl()),
      stripFederationDirectives(domainSdl(domain)),
      federationSdl([...part.entities.keys()]),
    ],
    resolvers: [
      scalarResolvers,
      {
        ...types,
        Query: {
          ...Query,
          _service: () => ({ sdl }),
          ...(part.entities.size > 0 && { _entities: createEntitiesResolver(part) }),
        },
        ...(part.entities.size > 0 && { _Entity: { __resolveType: (value: object) => entityTypeNames.get(value) } }),
      } as ResolverMap,
    ],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** What a router asks a subgraph for, beside its own fields. */
const federationSdl = (entities: readonly string[]): string => `
  type Query {
    "The SDL of this subgraph, for composition."
    _service: _Service!
    ${entities.length === 0 ? '' : '"Objects by their keys, each null when there is none." _entities(representations: [_Any!]!): [_Entity]!'}
  }
  "This subgraph."
  type _Service { "Its SDL, federation's directives included." sdl: String! }
  ${entities.length === 0 ? '' : `"A type's name and the fields of its key." scalar _Any "What has a key." union _Entity = ${entities.join(' | ')}`}
`;

const withoutReferenceResolvers = ({ resolvers }: DomainSubgraph): DomainSubgraph['resolvers'] =>
  Object.fromEntries(Object.entries(resolvers).map(([type, { __resolveReference, ...fields }]) => [type, fields]));

/** Which entity an object was found as: the node's own objects do not say, and others hold them too. */
const entityTypeNames = new WeakMap<object, string>();

/** Makes the whole of each representation; all of them in one tick, so that what they ask goes out together. */
function createEntitiesResolver(part: DomainSubgraph) {
  return (
    _query: unknown,
    given: { representations: readonly unknown[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ): unknown => {
    const infos = new Map<string, GraphQLResolveInfo>();
    const infoOf = (name: string): GraphQLResolveInfo => {
      const type = info.schema.getType(name);
      const known = infos.get(name) ?? (isObjectType(type) ? infoForType(info, type) : info);
      infos.set(name, known);
      return known;
    };
    const find = (representation: unknown): unknown => {
      const { __typename: name } = (representation ?? {}) as { __typename?: unknown };
      const entity = typeof name === 'string' ? part.entities.get(name) : undefined;
      if (!entity) throw new GraphError('BAD_USER_INPUT', 'A representation names no entity of this subgraph.');
      const reference = parseReference(entity, representation as Representation);
      const resolve = referenceResolverOf(part, entity.name);
      return resolve ? resolve(reference, context, infoOf(entity.name)) : reference;
    };
    const named = (found: unknown, { __typename }: { __typename: string }): unknown => {
      if (typeof found === 'object' && found !== null) entityTypeNames.set(found, __typename);
      return found;
    };
    return given.representations.map((representation) =>
      isolateError(() => {
        const found = find(representation);
        const name = representation as { __typename: string };
        return found instanceof Promise ? found.then((one) => named(one, name)) : named(found, name);
      }),
    );
  };
}
