import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import {
  concatAST,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { ValueInContext } from '../executor/value-writer.ts';
import { scalars } from '../scalars.ts';
import { infoForType } from '../selection.ts';
import {
  type ChainsContext,
  chainEntity,
  chainIdResolvers,
  chainResolvers,
  chainTypes,
  contextOfRepresentation,
  domainSdls,
  setContexts,
} from './chains.ts';
import { domainSubgraph, type OwnedEntity, ownedEntities, parseReference, type Representation } from './entities.ts';
import { createFieldFilter, isolateError, mapMaybePromise, resolveEntityReferences } from './entity-references.ts';
import { type AnyDomain, commonSdl, liveSdl, stripFederationDirectives } from './sdl.ts';
import { printSubgraph } from './subgraph-sdl.ts';

/** Resolvers by type, as `makeExecutableSchema` accepts them. */
type ResolverMap = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

/**
 * Resolvers of the scalars. These are not GraphQLScalarType objects, which would override the descriptions of the SDL.
 */
const scalarResolvers = Object.fromEntries(
  Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral, extensions }]) => [
    name,
    { __serialize: serialize, __parseValue: parseValue, __parseLiteral: parseLiteral, __extensions: extensions },
  ]),
);

/**
 * Composes the SDL and the resolvers of all domains into one executable schema, without the fields that only routers use. `isMultiChain`: whether entities
 * name their chain.
 */
export function composeSchema(domains: readonly AnyDomain[], isMultiChain = false): GraphQLSchema {
  const subgraphs = domains.map(domainSubgraph);
  const entities = ownedEntities(subgraphs, false);
  const domainTypeDefs = domainSdls(domains, isMultiChain).map((sdl, i) =>
    stripFederationDirectives(sdl, createFieldFilter(subgraphs[i]!, entities, false)),
  );
  const resolvers = subgraphs.map((subgraph) => resolveEntityReferences(subgraph, entities, false));
  const common = [stripFederationDirectives(parse(commonSdl())), parse(liveSdl())];
  const typeDefs = [...common, ...domainTypeDefs, stripFederationDirectives(chainTypes(concatAST(domainTypeDefs)))];
  const ofEntities = isMultiChain ? chainIdResolvers(entities.keys()) : {};
  return executableSchema(typeDefs, [...resolvers, chainResolvers(resolvers), ofEntities]);
}

/**
 * Builds the federation subgraph of these domains. References between them are resolved as in the single graph; entities of other domains
 * have only their keys and the fields that these domains add. `isMultiChain`: whether entities name their chain.
 */
export function subgraphSchema(domains: readonly AnyDomain[], isMultiChain = false): GraphQLSchema {
  const subgraphs = domains.map(domainSubgraph);
  const owned = ownedEntities(subgraphs, true);
  const entities = new Map([...owned, [chainEntity.name, chainEntity]]);
  const sdl = domainSdls(domains, isMultiChain);
  const document = concatAST([parse(commonSdl()), ...sdl, chainTypes(concatAST(sdl))]);
  const typeDefs = [stripFederationDirectives(document), parse(federationSdl([...entities.keys()]))];
  const resolvers = subgraphs.map((subgraph) => resolveEntityReferences(subgraph, owned, true));
  // The costs of the SDL, which routers read, take as long to compute as the schema.
  const sdlOf = memoizePerObject((own: typeof domains) => printSubgraph(own, isMultiChain));
  const federationResolvers = {
    Query: { _service: () => ({ sdl: sdlOf(domains) }), _entities: createEntitiesResolver(entities, isMultiChain) },
    _Entity: { __resolveType: (object: object) => entityTypeNames.get(object) },
  };
  const ofEntities = isMultiChain ? chainIdResolvers(owned.keys()) : {};
  return executableSchema(typeDefs, [...resolvers, chainResolvers(resolvers), ofEntities, federationResolvers]);
}

function executableSchema(typeDefs: DocumentNode[], resolvers: object[]): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: [scalarResolvers, ...(resolvers as ResolverMap[])],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
    // Copies of the schema, and checks of SDL that tests check, took half of the time.
    updateResolversInPlace: true,
    assumeValidSDL: true,
  });
  setContexts(schema);
  return schema;
}

/**
 * The entity type of each resolved object. A map instead of a property, because the objects come from the node and are
 * shared with caches.
 */
const entityTypeNames = new WeakMap<object, string>();

type EntitiesResolver = GraphQLFieldResolver<unknown, unknown, { readonly representations: readonly unknown[] }>;

/**
 * Creates the resolver of `_entities`. It starts all representations in one tick, so that their upstream calls share a
 * request. An invalid representation causes an error of its item only.
 */
function createEntitiesResolver(entities: ReadonlyMap<unknown, OwnedEntity>, isMultiChain: boolean): EntitiesResolver {
  return (_query, { representations }, context, info) => {
    const infoOf = memoizePerObject(({ name }: OwnedEntity) => infoForType(info, info.schema.getType(name) as GraphQLObjectType));
    const resolveEntity = (representation: unknown): unknown => {
      const { __typename } = (representation ?? {}) as { __typename?: unknown };
      const entity = entities.get(__typename);
      if (!entity) throw new GraphError('BAD_USER_INPUT', '`__typename` of a representation is not an entity of this subgraph.');
      const tagType = (object: unknown): unknown => {
        if (typeof object === 'object' && object !== null) entityTypeNames.set(object, entity.name);
        return object;
      };
      const reference = parseReference(entity, representation as Representation);
      const resolveIn = (own: unknown) => mapMaybePromise(entity.resolveReference(reference, own, infoOf(entity)), tagType);
      if (!isMultiChain || entity === chainEntity) return resolveIn(context);
      return contextOfRepresentation(representation as Representation, context as ChainsContext).then((own) =>
        mapMaybePromise(resolveIn(own), (value) => (value === null ? null : new ValueInContext(value, own))),
      );
    };
    const resolveAll = () => representations.map((representation) => isolateError(() => resolveEntity(representation)));
    const { budget } = (context as { readonly operation?: { readonly budget?: OperationBudget } }).operation ?? {};
    return budget?.shouldYieldAfter(representations.length) ? budget.yieldTurn().then(resolveAll) : resolveAll();
  };
}

/** The fields and types that the federation specification adds to a subgraph. */
const federationSdl = (entities: readonly string[]): string => `
  type Query {
    "The SDL of this subgraph, for composition."
    _service: _Service!
    "Entities by key; null where there is none."
    _entities("The references." representations: [_Any!]!): [_Entity]!
  }
  "This subgraph."
  type _Service { "Its SDL, federation directives included." sdl: String! }
  "The type name of an entity and the fields of its key."
  scalar _Any
  "All entities of this subgraph."
  union _Entity = ${entities.join(' | ')}
`;

/** Prints a schema in lexicographic order, independent of the order of SDL files. */
export const printGraph = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
