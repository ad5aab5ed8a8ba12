import { mergeTypeDefs } from '@graphql-tools/merge';
import { type DocumentNode, isObjectType, parse, print, specifiedDirectives, visit } from 'graphql';
import type { FieldWeights } from '../cost/field-cost.ts';
import { addCacheTags } from './cache-tags.ts';
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
