import { describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { type DocumentNode, Kind, parse, print, printSchema } from 'graphql';
import type { AnyDomain } from '../../src/graphql/domain.ts';
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { subgraphSchema } from '../../src/graphql/federation/subgraph.ts';
import { subgraphSdl } from '../../src/graphql/federation/subgraph-sdl.ts';
import { domains } from '../../src/installed-domains.ts';

/** Composes subgraphs as a router's build does. */
const composeSubgraphs = (subgraphs: readonly { readonly name: string; readonly sdl: string }[]) =>
  composeServices(subgraphs.map(({ name, sdl }) => ({ name, url: `http://${name}.example/graphql`, typeDefs: parse(sdl) })));

const sdlOf = (domain: AnyDomain) => ({ name: domain.name, sdl: print(subgraphSdl([domain])) });

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

const KEYS: Record<string, string> = {
  Account: 'address _at',
  Block: 'number',
  Duel: 'id',
  Receipt: 'transactionHash',
  Token: 'address',
  Transaction: 'hash',
  Wizard: 'id',
};

test('the subgraphs of all domains compose, each entity with one key', () => {
  const { errors, supergraphSdl } = composeSubgraphs(domains.map(sdlOf));
  expect(errors ?? []).toEqual([]);
  const keys = Object.entries(keysIn(parse(supergraphSdl!))).map(([type, byKey]) => [type, Object.keys(byKey)] as const);
  expect(Object.fromEntries(keys.sort())).toEqual(Object.fromEntries(Object.entries(KEYS).map(([type, key]) => [type, [key]])));
});

test('every domain that declares Account declares its key', () => {
  const { supergraphSdl } = composeSubgraphs(domains.map(sdlOf));
  const declaring = domains.filter((domain) => /type Account\b/.test(sdlOf(domain).sdl)).map(({ name }) => name);
  expect(keysIn(parse(supergraphSdl!)).Account).toEqual({ 'address _at': declaring });
});

test('a router exposes the same fields as the single graph', () => {
  const { publicSdl } = composeSubgraphs(domains.map(sdlOf)) as { publicSdl?: string };
  const fieldsIn = (sdl: string) =>
    parse(sdl)
      .definitions.flatMap((type) =>
        'fields' in type && 'name' in type && type.name
          ? (type.fields ?? []).map((field) => `${type.name!.value}.${field.name.value}`)
          : [],
      )
      .sort();
  expect(fieldsIn(publicSdl!)).toEqual(fieldsIn(printSchema(composeSchema(domains))));
});

test('composition fails when the subgraphs declare different keys', () => {
  const [chain, ...others] = domains.map(sdlOf);
  const { errors } = composeSubgraphs([{ ...chain!, sdl: chain!.sdl.replace('@key(fields: "address _at")', '') }, ...others]);
  expect(errors?.length).toBeGreaterThan(0);
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
  const text = printSchema(composeSchema(domains));
  expect(text).not.toMatch(/_at\b|_entities|_service|_Any|_Entity|@key|@inaccessible|@shareable|link__/);
});
