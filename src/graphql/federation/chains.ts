import {
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  visit,
} from 'graphql';
import type { FieldWeights } from '../cost/field-cost.ts';
import { scalars } from '../scalars.ts';
import { CHAIN_ARGUMENT } from '../stream.ts';
import { type OwnedEntity, parseReference, type Representation, type TypeResolvers } from './entities.ts';
import { type Annotated, type AnyDomain, chainsSdl, domainSdl, hasDirective, withDirective } from './sdl.ts';

/** The context of an operation: it has the contexts of the chains that the operation reads. */
export interface ChainsContext {
  /** Resolves with the context of a chain; rejects with BAD_USER_INPUT for a chain that is not served. */
  contextOfChain(id: string): Promise<object>;
  /** The id of the chain that this context reads. */
  chainId(): string | Promise<string>;
  /** The contexts of all served chains, the default one first. */
  contextsOfChains(): readonly (object | Promise<object>)[];
}

/** The field of `Query` that identifies a chain, and the SDL of the key of `Chain` in subgraphs without this field. */
const ID_FIELD = 'chainID';
const ID_SDL = `type Chain { "Chain id that replay-protected signatures carry (EIP-155)." ${ID_FIELD}: BigInt! }`;

/**
 * Returns the SDL of `Chain`, of its interface, and of the fields that return chains. `Chain` and its interface have the fields of `Query` in this document. A
 * subgraph whose `Query` has no chain id has no field that returns a chain, and resolves the chains of others.
 */
export function chainTypes({ definitions }: DocumentNode): DocumentNode {
  const fields = definitions.flatMap((node): readonly FieldDefinitionNode[] =>
    (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) && node.name.value === 'Query'
      ? (node.fields ?? [])
      : [],
  );
  const hasId = fields.some(({ name }) => name.value === ID_FIELD);
  const [shared, chain, query] = parse(chainsSdl()).definitions as [
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    ObjectTypeExtensionNode,
  ];
  const [{ fields: key = [] }] = parse(ID_SDL).definitions as [ObjectTypeDefinitionNode];
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      // Routers accept no costs on interfaces.
      { ...shared, fields: fields.map((field) => ({ ...field, directives: [] })) },
      { ...chain, fields: hasId ? fields : [...key, ...fields] },
      hasId ? query : { ...query, fields: [] },
    ],
  };
}

const CHAIN_ID_SDL = `type Entity { "The chain that it belongs to (EIP-155)." ${CHAIN_ARGUMENT}: ChainId! }`;

/** Parses the SDL of each domain. `isMultiChain`: whether entities name their chain (MULTI_CHAIN). */
export const domainSdls = (domains: readonly AnyDomain[], isMultiChain: boolean): readonly DocumentNode[] =>
  domains.map((domain) => parse(domainSdl(domain))).map((sdl) => (isMultiChain ? withChainKeys(sdl) : sdl));

/** Adds the chain to the entities of SDL and to their keys. */
function withChainKeys(sdl: DocumentNode): DocumentNode {
  const [{ fields: chainId = [] }] = parse(CHAIN_ID_SDL).definitions as [ObjectTypeDefinitionNode];
  return visit(sdl, {
    ObjectTypeDefinition: (type) =>
      hasDirective(type, 'key') ? { ...type, fields: [...chainId, ...(type.fields ?? [])] } : undefined,
    Directive: ({ name, arguments: [fields] = [] }) =>
      name.value === 'key' && fields?.value.kind === Kind.STRING
        ? withDirective({} as Annotated, 'key', { fields: `${CHAIN_ARGUMENT} ${fields.value.value}` }).directives![0]
        : undefined,
  });
}

/** The resolvers of the chain of entities; the context of an entity is that of its chain. */
export const chainIdResolvers = (entities: Iterable<string>) =>
  Object.fromEntries([...entities].map((name) => [name, { [CHAIN_ARGUMENT]: chainIdOf }]));

const chainIdOf = (_entity: unknown, _args: unknown, context: ChainsContext) => context.chainId();

/** The context of an entity whose representation names its chain. Rejects with BAD_USER_INPUT for a missing or an invalid chain, and one that is not served. */
export function contextOfRepresentation(representation: Representation, context: ChainsContext): Promise<object> {
  const reference = parseReference({ name: String(representation.__typename), key: CHAIN_KEY, external: [] }, representation);
  return context.contextOfChain(reference[CHAIN_ARGUMENT] as string);
}

const CHAIN_KEY = [{ name: CHAIN_ARGUMENT, scalar: scalars.ChainId, isRequired: true }];

/** The entity that routers resolve in subgraphs. */
export const chainEntity: OwnedEntity = {
  name: 'Chain',
  key: [{ name: ID_FIELD, scalar: scalars.BigInt, isRequired: true }],
  external: [],
  owner: undefined,
  resolveReference: (reference, context) => (context as ChainsContext).contextOfChain(reference[ID_FIELD] as string),
};

/** The resolvers of `Chain`: those of `Query`. The value of a chain is the context of its fields (`contextOf`). */
export const chainResolvers = (resolvers: readonly Readonly<Record<string, TypeResolvers>>[]) => {
  const { chainID, ...fields }: TypeResolvers = Object.assign({}, ...resolvers.map(({ Query }) => Query));
  const query = {
    chain: (_query: unknown, { id }: { readonly id: string }, context: ChainsContext) => context.contextOfChain(id),
    chains: (_query: unknown, _args: unknown, context: ChainsContext) => context.contextsOfChains(),
  };
  return { ...(chainID ? { Query: query } : {}), Chain: { ...fields, chainID: chainIdOf } };
};

/** Marks where the executor changes the context (`contextOf`): below a chain, and for a mutation or a subscription that names a chain. */
export function setContexts(schema: GraphQLSchema): void {
  Object.assign(schema.getType('Chain')!.extensions, { contextOf: (chain: object) => chain });
  const contextOf = ({ [CHAIN_ARGUMENT]: id }: { readonly [CHAIN_ARGUMENT]?: string | null }, context: ChainsContext) =>
    id === undefined || id === null ? context : context.contextOfChain(id);
  const fields = [schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  for (const { args, extensions } of fields)
    if (args.some(({ name }) => name === CHAIN_ARGUMENT)) Object.assign(extensions, { contextOf });
}

/** Adds the fields of `Chain` to a table by coordinate: their entries are those of the fields of `Query`. */
export function withChainFields<Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const added = Object.entries(table).filter(([coordinate]) => coordinate.startsWith('Query.'));
  return { ...table, ...Object.fromEntries(added.map(([coordinate, value]) => [coordinate.replace('Query', 'Chain'), value])) };
}

/** The cost of each field in the graph of these domains. */
export const weightsOfDomains = (domains: readonly Pick<AnyDomain, 'weights'>[]): FieldWeights =>
  withChainFields(Object.assign({}, ...domains.map(({ weights }) => weights)) as FieldWeights);
