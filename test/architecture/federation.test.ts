import { describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { type DocumentNode, Kind, parse, printSchema } from 'graphql';
import type { AnyDomain } from '../../src/graphql/domain.ts';
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { subgraphSchema, subgraphSdl } from '../../src/graphql/federation/subgraph.ts';
import { domains } from '../../src/serve.ts';

/** The domains as subgraphs that a router could stand before. */
const composed = (parts: readonly { readonly name: string; readonly sdl: string }[]) =>
  composeServices(parts.map(({ name, sdl }) => ({ name, url: `http://${name}.example/graphql`, typeDefs: parse(sdl) })));

const sdlOf = (domain: AnyDomain) => ({ name: domain.name, sdl: subgraphSdl(domain) });

/** The key of each entity, and the subgraphs in which it has it. */
function keysIn(supergraph: DocumentNode): Record<string, Record<string, string[]>> {
  const keys: Record<string, Record<string, string[]>> = {};
  for (const type of supergraph.definitions) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const { name, arguments: given = [] } of type.directives ?? []) {
      const [graph, key] = ['graph', 'key'].map((wanted) => {
        const value = given.find((argument) => argument.name.value === wanted)?.value;
        return value && 'value' in value ? String(value.value) : undefined;
      });
      if (name.value !== 'join__type' || !graph || !key) continue;
      const known = keys[type.name.value] ?? {};
      keys[type.name.value] = { ...known, [key]: [...(known[key] ?? []), graph.toLowerCase()] };
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

test('all domains compose as subgraphs, each entity with its one key', () => {
  const { errors, supergraphSdl } = composed(domains.map(sdlOf));
  expect(errors ?? []).toEqual([]);
  const keys = Object.entries(keysIn(parse(supergraphSdl!))).map(([type, found]) => [type, Object.keys(found)] as const);
  expect(Object.fromEntries(keys.sort())).toEqual(Object.fromEntries(Object.entries(KEYS).map(([type, key]) => [type, [key]])));
});

test('an account has its key in every domain that mentions it', () => {
  const { supergraphSdl } = composed(domains.map(sdlOf));
  const named = domains.filter((domain) => /type Account\b/.test(subgraphSdl(domain))).map(({ name }) => name);
  expect(keysIn(parse(supergraphSdl!)).Account).toEqual({ 'address _at': named });
});

test('what routers show of the graph is what the one graph shows', () => {
  const { publicSdl } = composed(domains.map(sdlOf)) as { publicSdl?: string };
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

test('the composer refuses keys that differ', () => {
  const [chain, ...others] = domains.map(sdlOf);
  const { errors } = composed([{ ...chain!, sdl: chain!.sdl.replace('@key(fields: "address _at")', '') }, ...others]);
  expect(errors?.length).toBeGreaterThan(0);
});

describe.each(domains.map((domain) => [domain.name, domain] as const))('as a subgraph, %s', (_name, domain) => {
  const schema = subgraphSchema(domain);

  test('tells its SDL', () => {
    const service = schema.getQueryType()!.getFields()._service!;
    expect(service.resolve!({}, {}, {}, {} as never)).toEqual({ sdl: subgraphSdl(domain) });
  });

  test('has every entity that its SDL mentions', () => {
    const mentioned = [...subgraphSdl(domain).matchAll(/type (\w+) (?:implements \w+ )?@key/g)].map(([, name]) => name);
    const entities = schema.getPossibleTypes(schema.getType('_Entity') as never).map(({ name }) => name);
    expect(entities.sort()).toEqual(mentioned.sort());
  });
});

test('the one graph has nothing that is for routers', () => {
  const text = printSchema(composeSchema(domains));
  expect(text).not.toMatch(/_at\b|_entities|_service|_Any|_Entity|@key|@inaccessible|@shareable|link__/);
});
