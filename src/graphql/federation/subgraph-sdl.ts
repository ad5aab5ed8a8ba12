import { mergeTypeDefs } from '@graphql-tools/merge';
import {
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
  specifiedDirectives,
  type TypeNode,
  visit,
} from 'graphql';
import type { FieldWeights } from '../cost/field-cost.ts';
import { addCostDirectives } from './cost-directives.ts';
import { entitiesOf } from './entities.ts';
import { type Annotated, type AnyDomain, commonSdl, domainSchema, domainSdl, sdlSchema, withDirective } from './sdl.ts';

/**
 * Adds `@cacheTag` to the SDL of a subgraph, so that Apollo Router can invalidate cached responses by tag: `block-<number>` and the like for
 * each entity with a key, the same for a root field that finds one entity by a required argument, and the field's name for each root field.
 */
export function addCacheTags(subgraph: DocumentNode): DocumentNode {
  const keys = requiredKeyFields(sdlSchema(subgraph));
  const tagFields = <T extends ObjectTypeDefinitionNode | ObjectTypeExtensionNode>(node: T): T => {
    const key = node.kind === Kind.OBJECT_TYPE_DEFINITION ? keys.get(node.name.value) : undefined;
    if (key !== undefined) return withTags(node, [`${tagPrefix(node.name.value)}-{$key.${key}}`]);
    if (node.name.value !== 'Query') return node;
    return { ...node, fields: node.fields?.map((field) => withTags(field, rootFieldTags(field, keys))) };
  };
  return visit(subgraph, {
    ObjectTypeDefinition: { leave: tagFields },
    ObjectTypeExtension: { leave: tagFields },
  });
}

/** Finds the only required field in the key of each entity: a tag must not refer to a field that may be null. */
const requiredKeyFields = (schema: GraphQLSchema): ReadonlyMap<string, string> =>
  new Map(
    [...entitiesOf(schema).values()].flatMap(({ name, key }) => {
      const required = key.filter(({ isRequired }) => isRequired);
      return required.length === 1 ? [[name, required[0]!.name]] : [];
    }),
  );

function rootFieldTags({ name, type, arguments: args = [] }: FieldDefinitionNode, keys: ReadonlyMap<string, string>): string[] {
  const required = args.filter((argument) => argument.type.kind === Kind.NON_NULL_TYPE);
  const entity = namedTypeOf(type);
  const findsEntity = entity !== undefined && keys.has(entity) && required.length === 1;
  return findsEntity ? [name.value, `${tagPrefix(entity)}-{$args.${required[0]!.name.value}}`] : [name.value];
}

/** The name of a type that is no list. */
function namedTypeOf(type: TypeNode): string | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return namedTypeOf(type.type);
  return type.kind === Kind.NAMED_TYPE ? type.name.value : undefined;
}

/** `Block` as `block`. */
const tagPrefix = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

const withTags = <Node extends Annotated>(node: Node, formats: readonly string[]): Node =>
  formats.reduce((tagged, format) => withDirective(tagged, 'cacheTag', { format }), node);

/** Directive of fields that need a caller. Routers enforce it, too. */
const DIRECTIVE = 'authenticated';

/** Returns the fields with `@authenticated` in the SDL of these domains, as `Query.webhookEvents`. */
export const authenticatedFields = (domains: readonly AnyDomain[]): ReadonlySet<string> =>
  new Set(
    domains.flatMap((domain) =>
      Object.values(domainSchema(domain).getTypeMap())
        .filter(isObjectType)
        .flatMap((type) =>
          Object.values(type.getFields())
            .filter(({ astNode }) => astNode?.directives?.some(({ name }) => name.value === DIRECTIVE))
            .map(({ name }) => `${type.name}.${name}`),
        ),
    ),
  );

/** The version of the federation specification that routers need at least; `@cacheTag` needs a later one. */
const FEDERATION_VERSION = '2.9';
const CACHE_TAG_VERSION = '2.12';

/** Returns the SDL of a subgraph of these domains for composition by a router: each type once, with keys, costs and descriptions. */
export const subgraphSdl = (domains: readonly AnyDomain[]): DocumentNode =>
  withFederationLink(pricedSdl(domains), FEDERATION_VERSION);

function pricedSdl(domains: readonly AnyDomain[]): DocumentNode {
  const weights: FieldWeights = Object.assign({}, ...domains.map((domain) => domain.weights));
  return addCostDirectives(mergeTypeDefs([commonSdl(), ...domains.map(domainSdl)]), weights);
}

/** Prints the same SDL with `@cacheTag`, for Apollo Router. */
export const printSubgraphWithCacheTags = (domains: readonly AnyDomain[]): string =>
  `${print(withFederationLink(addCacheTags(pricedSdl(domains)), CACHE_TAG_VERSION))}\n`;

/** Prints the SDL of a subgraph of these domains, as `_service` returns it. */
export const printSubgraph = (domains: readonly AnyDomain[]): string => `${print(subgraphSdl(domains))}\n`;

/** Adds the link to the federation specification, which imports the directives that the SDL uses. */
function withFederationLink(sdl: DocumentNode, version: string): DocumentNode {
  const used = new Set<string>();
  visit(sdl, { Directive: ({ name }) => void used.add(name.value) });
  for (const { name } of specifiedDirectives) used.delete(name);
  const names = [...used].sort().map((name) => `"@${name}"`);
  const link = parse(
    `extend schema @link(url: "https://specs.apollo.dev/federation/v${version}", import: [${names.join(', ')}])`,
  );
  return mergeTypeDefs([link, sdl]);
}
