import { describe, expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { authenticatedFields, printSubgraph, subgraphSdl } from '../../../../src/graphql/federation/subgraph-sdl.ts';
import { createDomainFixture, createTestExecutor } from '../../../support/graph/domain-fixtures.ts';

type Keyed = { readonly id: string };

/** Owns Author, and refers to City, which no domain of these tests owns. */
const library = createDomainFixture(
  'library',
  `type Query { author(id: Int!): Author }
   "A person who writes." type Author @key(fields: "id") { "Number of the author." id: Int! name: String home: City }
   type City @key(fields: "id") { id: Int! }`,
  {
    Query: { author: (_query: unknown, { id }: Keyed) => ({ number: id }) },
    Author: {
      __resolveReference: ({ id }: Keyed) => ({ number: id }),
      id: ({ number }: { number: number }) => number,
      name: ({ number }: { number: number }) => `author ${number}`,
      home: ({ number }: { number: number }) => ({ postcode: number * 10 }),
    },
    City: { id: ({ postcode }: { postcode: number }) => postcode },
  },
);
/** Extends Author and City. */
const shop = createDomainFixture(
  'shop',
  `type Query { best: Author }
   type Author @key(fields: "id") { id: Int! sales: String }
   type City @key(fields: "id") { id: Int! shops(open: Boolean): String }`,
  {
    Query: { best: () => ({ id: 7 }) },
    Author: { sales: (author: Keyed) => JSON.stringify(author) },
    City: { shops: (city: Keyed) => JSON.stringify(city) },
  },
);

test('only fields of webhooks, of their events and of named streams need a caller', () => {
  const fields = [...authenticatedFields(domains)];
  expect(fields).toHaveLength(15);
  expect(fields).toEqual(expect.arrayContaining(['Query.webhookEvents', 'Mutation.redeliver', 'Subscription.webhookDeliveries']));
  expect(fields).not.toContain('Query.block');
});

describe('subgraph of several domains', () => {
  const execute = createTestExecutor(subgraphSchema([library, shop]));

  test('subgraph resolves references between its domains', async () => {
    const { data, errors } = await execute('{ author(id: 3) { id name sales } best { id name } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({
      author: { id: 3, name: 'author 3', sales: '{"__typename":"Author","id":3}' },
      best: { id: 7, name: 'author 7' },
    });
  });

  test('subgraph passes the key of an entity without an owner from one domain to another', async () => {
    const { data, errors } = await execute('{ author(id: 3) { home { __typename id shops } } }');
    expect(errors).toEqual([]);
    expect(data.author.home).toEqual({ __typename: 'City', id: 30, shops: '{"__typename":"City","id":30}' });
  });

  test('subgraph resolves entities of all its domains through _entities', async () => {
    const all = [
      { __typename: 'Author', id: 1 },
      { __typename: 'City', id: 2, mayor: 'not of the key' },
    ];
    const query =
      'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Author { name sales } ... on City { id shops } } }';
    const { data, errors } = await execute(query, {}, { all });
    expect(errors).toEqual([]);
    expect(data._entities).toEqual([
      { name: 'author 1', sales: '{"__typename":"Author","id":1}' },
      { id: 2, shops: '{"__typename":"City","id":2}' },
    ]);
  });
});

describe('SDL of a subgraph', () => {
  test('SDL of a subgraph declares each type once, with the description and all fields', () => {
    expect(print(subgraphSdl([shop, library]))).toContain(`"A person who writes."
type Author @key(fields: "id") @cost(weight: 0) {
  "Number of the author."
  id: Int! @cost(weight: 10)
  sales: String @cost(weight: 10)
  name: String @cost(weight: 10)
  home: City @cost(weight: 10)
}`);
  });

  test('SDL of a subgraph imports only the directives that it uses', () => {
    expect(printSubgraph([shop])).toContain('@link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@cost", "@key"])');
    expect(printSubgraph(domains)).toContain(
      'import: ["@authenticated", "@cost", "@inaccessible", "@key", "@listSize", "@shareable"]',
    );
  });

  test.each([...domains.map((domain) => [domain.name, [domain]] as const), ['all domains', domains] as const])(
    'SDL of %s equals the result of _service and can be parsed',
    async (_name, served) => {
      const { data } = await createTestExecutor(subgraphSchema(served))('{ _service { sdl } }');
      expect(data._service.sdl).toBe(printSubgraph(served));
      expect(print(parse(data._service.sdl)).trim()).toBe(data._service.sdl.trim());
    },
  );
});
