import { mergeTypeDefs } from '@graphql-tools/merge';
import { concatAST, type DocumentNode, isObjectType, Kind, parse, print, visit } from 'graphql';
import { chainTypes, domainSdls, weightsOfDomains } from './chains.ts';
import { addCostDirectives } from './cost-directives.ts';
import { type AnyDomain, BUILT_IN_DIRECTIVES, commonSdl, domainSchema, hasDirective, withDirective } from './sdl.ts';

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
  const merged = withRequirementsInKeys(mergeTypeDefs([commonSdl(), ...sdl, chainTypes(concatAST(sdl))]), domains);
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

/**
 * Replaces `@requires`: the `@external` fields that none of these domains has become a part of the key, so that a router sends them in each reference.
 * Composition rejects an `@external` field without another subgraph that has it, such as that of the tournament.
 */
function withRequirementsInKeys(sdl: DocumentNode, domains: readonly AnyDomain[]): DocumentNode {
  const internal = fieldsByDirective(domains, 'external', false);
  return visit(sdl, {
    ObjectTypeDefinition(type) {
      const external = (type.fields ?? []).filter((field) => hasDirective(field, 'external')).map(({ name }) => name.value);
      const required = external.filter((name) => !internal.has(`${type.name.value}.${name}`));
      const key = type.directives?.[0]?.arguments?.[0]?.value;
      if (required.length === 0 || key?.kind !== Kind.STRING) return undefined;
      return withDirective({ ...type, directives: [] }, 'key', { fields: [key.value, ...required].join(' ') });
    },
    Directive: ({ name }) => (name.value === 'external' || name.value === 'requires' ? null : undefined),
  });
}

/** Prints the SDL of a subgraph of these domains, as `_service` returns it. */
export const printSubgraph = (domains: readonly AnyDomain[], isMultiChain = false): string =>
  `${print(subgraphSdl(domains, isMultiChain))}\n`;
