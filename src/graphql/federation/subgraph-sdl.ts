import { mergeTypeDefs } from '@graphql-tools/merge';
import { concatAST, type DocumentNode, type FieldDefinitionNode, isObjectType, Kind, parse, print, visit } from 'graphql';
import { chainTypes, domainSdls, weightsOfDomains } from './chains.ts';
import { addCostDirectives } from './cost-directives.ts';
import { type AnyDomain, BUILT_IN_DIRECTIVES, commonSdl, domainSchema, hasDirective } from './sdl.ts';

/** Returns the fields of objects in the SDL of these domains that have a directive, or do not have it, as `Query.webhookEvents`. */
const fieldsByDirective = (domains: readonly AnyDomain[], directive: string, isPresent: boolean): ReadonlySet<string> =>
  new Set(
    domains.flatMap((domain) =>
      Object.values(domainSchema(domain).getTypeMap())
        .filter(isObjectType)
        .flatMap((type) =>
          Object.values(type.getFields())
            .filter(({ astNode }) => hasDirective(astNode, directive) === isPresent)
            .map(({ name }) => `${type.name}.${name}`),
        ),
    ),
  );

/** Returns the fields with `@authenticated` in the SDL of these domains: the fields that need a caller. Routers enforce it, too. */
export const authenticatedFields = (domains: readonly AnyDomain[]): ReadonlySet<string> =>
  fieldsByDirective(domains, 'authenticated', true);

/** The version of the federation specification that routers need at least. */
const FEDERATION_VERSION = '2.9';

/**
 * Returns the SDL of a subgraph of these domains for composition by a router: each type once, with keys, costs, descriptions, and a link to the
 * federation specification, which imports the directives that the SDL uses. `isMultiChain`: whether entities name their chain.
 */
export function subgraphSdl(domains: readonly AnyDomain[], isMultiChain = false): DocumentNode {
  const sdl = domainSdls(domains, isMultiChain);
  const merged = withoutInternalRequirements(mergeTypeDefs([commonSdl(), ...sdl, chainTypes(concatAST(sdl))]), domains);
  const priced = addCostDirectives(merged, weightsOfDomains(domains));
  const used = new Set<string>();
  visit(priced, { Directive: ({ name }) => void used.add(name.value) });
  const names = [...used]
    .filter((name) => !BUILT_IN_DIRECTIVES.has(name))
    .sort()
    .map((name) => `"@${name}"`);
  const link = parse(
    `extend schema @link(url: "https://specs.apollo.dev/federation/v${FEDERATION_VERSION}", import: [${names.join(', ')}])`,
  );
  return mergeTypeDefs([link, priced]);
}

/** Removes `@external` from fields that another of these domains has, and `@requires` of such fields: the objects of that domain have their values. */
function withoutInternalRequirements(sdl: DocumentNode, domains: readonly AnyDomain[]): DocumentNode {
  const internal = fieldsByDirective(domains, 'external', false);
  const isInternal = (type: string, { name, directives = [] }: FieldDefinitionNode): boolean => {
    const required = directives.find((directive) => directive.name.value === 'requires')?.arguments?.[0]?.value;
    const names = required?.kind === Kind.STRING ? required.value.split(/\s+/) : [name.value];
    return names.every((one) => internal.has(`${type}.${one}`));
  };
  const withoutRequirement = (field: FieldDefinitionNode): FieldDefinitionNode => ({
    ...field,
    directives: (field.directives ?? []).filter(({ name }) => name.value !== 'external' && name.value !== 'requires'),
  });
  return visit(sdl, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field) => (isInternal(type.name.value, field) ? withoutRequirement(field) : field)),
    }),
  });
}

/** Prints the SDL of a subgraph of these domains, as `_service` returns it. */
export const printSubgraph = (domains: readonly AnyDomain[], isMultiChain = false): string =>
  `${print(subgraphSdl(domains, isMultiChain))}\n`;
