import { composeServices as composeWithApollo } from '@apollo/composition';
import { describe, expect, test } from '@jest/globals';
import { composeServices as composeWithGuild } from '@theguild/federation-composition';
import { buildSchema, type DocumentNode, extendSchema, GraphQLSchema, Kind, parse, printSchema } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema, printGraph, subgraphSchema } from '../../../src/graphql/federation/compose.ts';
import type { AnyDomain } from '../../../src/graphql/federation/sdl.ts';
import { printSubgraph } from '../../../src/graphql/federation/subgraph-sdl.ts';
import { FOREIGN_FIELDS_SDL, FOREIGN_SUBGRAPH_SDL } from '../../support/graph/foreign-subgraph.ts';

interface Subgraph {
  readonly name: string;
  readonly sdl: string;
}

/** What a router's build makes of subgraphs. */
interface Supergraph {
  readonly errors: readonly string[];
  readonly supergraphSdl?: string | undefined;
  /** The schema that the router serves; undefined with errors. */
  readonly api?: GraphQLSchema | undefined;
}

const definitionsOf = (subgraphs: readonly Subgraph[]) =>
  subgraphs.map(({ name, sdl }) => ({ name, url: `http://${name}.example/graphql`, typeDefs: parse(sdl) }));

const composers: Record<string, (subgraphs: readonly Subgraph[]) => Supergraph> = {
  '@theguild/federation-composition'(subgraphs) {
    const {
      errors = [],
      supergraphSdl,
      publicSdl,
    } = composeWithGuild(definitionsOf(subgraphs)) as {
      errors?: readonly { message: string }[] | undefined;
      supergraphSdl?: string;
      publicSdl?: string;
    };
    return { errors: errors.map(({ message }) => message), supergraphSdl, api: publicSdl ? buildSchema(publicSdl) : undefined };
  },
  '@apollo/composition'(subgraphs) {
    const { errors = [], supergraphSdl, schema } = composeWithApollo(definitionsOf(subgraphs));
    return {
      errors: errors.map(({ message }) => message),
      supergraphSdl,
      api: schema?.toAPISchema().toGraphQLJSSchema(),
    };
  },
};

const sdlOf = (domain: AnyDomain, isMultiChain = false): Subgraph => ({
  name: domain.name,
  sdl: printSubgraph([domain], isMultiChain),
});
const foreign: Subgraph = { name: 'foreign', sdl: FOREIGN_SUBGRAPH_SDL };

/** Prints a schema without its own description, which one of the composers omits, and without the directive of live queries, which is none of subgraphs. */
const printTypes = (schema: GraphQLSchema): string => {
  const { directives, ...config } = schema.toConfig();
  const planned = directives.filter(({ name }) => name !== 'live');
  return printGraph(new GraphQLSchema({ ...config, directives: planned, description: null }));
};

const graph = composeSchema(domains);

/** Returns the keys of each entity, and the subgraphs that declare each key. */
function keysIn(supergraph: DocumentNode): Record<string, Record<string, string[]>> {
  const keys: Record<string, Record<string, string[]>> = {};
  for (const type of supergraph.definitions) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const { name, arguments: args = [] } of type.directives ?? []) {
      const [graph, key] = ['graph', 'key'].map((argumentName) => {
        const value = args.find((argument) => argument.name.value === argumentName)?.value;
        return value && 'value' in value ? String(value.value) : undefined;
      });
      if (name.value !== 'join__type' || !graph || !key) continue;
      const entityKeys = keys[type.name.value] ?? {};
      keys[type.name.value] = { ...entityKeys, [key]: [...(entityKeys[key] ?? []), graph.toLowerCase()] };
    }
  }
  return keys;
}

const keysOf = ({ supergraphSdl }: Supergraph) =>
  Object.fromEntries(Object.entries(keysIn(parse(supergraphSdl!))).map(([type, byKey]) => [type, Object.keys(byKey)]));

/** The keys of entities; the second one of a duel also has what the chain subgraph needs to read its events. */
const KEYS: Record<string, string[]> = {
  Account: ['address _at'],
  Block: ['number'],
  Chain: ['chainID'],
  Duel: ['id startBlockNumber endBlockNumber', 'id'],
  Receipt: ['transactionHash'],
  Token: ['address'],
  Transaction: ['hash'],
  Wizard: ['id'],
};

/** The keys of entities that name their chain (MULTI_CHAIN). */
const chainKey = (type: string, key: string): string => (type === 'Chain' ? key : `chainId ${key}`);

describe.each(Object.entries(composers))('%s', (_name, compose) => {
  const supergraph = compose(domains.map((domain) => sdlOf(domain)));

  test('a composer composes the subgraphs of entities that name their chain', () => {
    const ofChains = compose(domains.map((domain) => sdlOf(domain, true)));
    expect(ofChains.errors).toEqual([]);
    expect(keysOf(ofChains)).toEqual(
      Object.fromEntries(Object.entries(KEYS).map(([type, keys]) => [type, keys.map((key) => chainKey(type, key))])),
    );
    expect(printTypes(ofChains.api!)).toBe(printTypes(composeSchema(domains, true)));
  });

  test('a composer composes the subgraphs of all domains, each entity with its keys', () => {
    expect(supergraph.errors).toEqual([]);
    expect(keysOf(supergraph)).toEqual(KEYS);
  });

  test('a composer composes the subgraphs, and the whole graph, without a tournament', () => {
    const served = domains.filter(({ name }) => name !== 'wizards');
    for (const subgraphs of [served.map((domain) => sdlOf(domain)), [{ name: 'grimoire', sdl: printSubgraph(served) }]])
      expect(compose(subgraphs).errors).toEqual([]);
  });

  test('a composer composes the subgraphs to the schema of the single graph with its descriptions', () => {
    expect(printTypes(supergraph.api!)).toBe(printTypes(graph));
  });

  test('a composer adds the fields of a foreign subgraph that extends Account and Wizard', () => {
    const extended = printTypes(extendSchema(graph, parse(FOREIGN_FIELDS_SDL)));
    for (const subgraphs of [domains.map((domain) => sdlOf(domain)), [{ name: 'grimoire', sdl: printSubgraph(domains) }]]) {
      const { errors, api } = compose([...subgraphs, foreign]);
      expect(errors).toEqual([]);
      expect(printTypes(api!)).toBe(extended);
    }
  });
});

describe.each(domains.map((domain) => [domain.name, domain] as const))('subgraph %s', (name, domain) => {
  const schema = subgraphSchema([domain]);

  test(`subgraph ${name} returns its SDL from Query._service`, () => {
    const service = schema.getQueryType()!.getFields()._service!;
    expect(service.resolve!({}, {}, {}, {} as never)).toEqual({ sdl: sdlOf(domain).sdl });
  });

  test(`subgraph ${name} resolves every entity of its SDL through _entities`, () => {
    const declared = [...sdlOf(domain).sdl.matchAll(/type (\w+) (?:implements \w+ )?@key/g)].map(([, type]) => type);
    const entities = schema.getPossibleTypes(schema.getType('_Entity') as never).map((type) => type.name);
    expect(entities.sort()).toEqual(declared.sort());
  });
});

test('the single graph has no federation fields or directives', () => {
  const text = printSchema(graph);
  expect(text).not.toMatch(/_at\b|_entities|_service|_Any|_Entity|@key|@inaccessible|@shareable|link__/);
});
