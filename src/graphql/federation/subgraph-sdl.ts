import { mergeTypeDefs } from '@graphql-tools/merge';
import { type DocumentNode, isObjectType, parse, print, specifiedDirectives, visit } from 'graphql';
import type { FieldWeights } from '../cost/field-cost.ts';
import { addCostDirectives } from './cost-directives.ts';
import { type AnyDomain, commonSdl, domainSchema, domainSdl } from './sdl.ts';

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

/** The version of the federation specification that routers need at least. */
const FEDERATION_VERSION = '2.9';

/**
 * Returns the SDL of a subgraph of these domains for composition by a router: each type once, with keys, costs, descriptions, and a link to the
 * federation specification, which imports the directives that the SDL uses.
 */
export function subgraphSdl(domains: readonly AnyDomain[]): DocumentNode {
  const weights: FieldWeights = Object.assign({}, ...domains.map((domain) => domain.weights));
  const sdl = addCostDirectives(mergeTypeDefs([commonSdl(), ...domains.map(domainSdl)]), weights);
  const used = new Set<string>();
  visit(sdl, { Directive: ({ name }) => void used.add(name.value) });
  for (const { name } of specifiedDirectives) used.delete(name);
  const names = [...used].sort().map((name) => `"@${name}"`);
  const link = parse(
    `extend schema @link(url: "https://specs.apollo.dev/federation/v${FEDERATION_VERSION}", import: [${names.join(', ')}])`,
  );
  return mergeTypeDefs([link, sdl]);
}

/** Prints the SDL of a subgraph of these domains, as `_service` returns it. */
export const printSubgraph = (domains: readonly AnyDomain[]): string => `${print(subgraphSdl(domains))}\n`;
