import { beforeEach, describe, expect, test } from '@jest/globals';
import { type GraphQLResolveInfo, printSchema } from 'graphql';
import { composeSchema, subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { selectionOf } from '../../../../src/graphql/selection.ts';
import { createDomainFixture, createTestExecutor } from '../../../support/graph/domain-fixtures.ts';

/** The references that the owner resolved, with the selection. */
const resolvedReferences: { reference: Record<string, unknown>; wantsName: boolean; context: unknown }[] = [];

beforeEach(() => {
  resolvedReferences.length = 0;
});

const LIBRARY = `
  "Somebody who writes."
  type Author @key(fields: "id _at") {
    "Number of the author."
    id: Long!
    _at: String @inaccessible
    "What the author is called."
    name: String
  }
  type Query {
    "An author by number."
    author(id: Long!): Author
    "Nobody."
    lost: Author
  }
`;

const library = createDomainFixture('library', LIBRARY, {
  Query: {
    author: (_query: unknown, { id }: { id: string }) => ({ id, year: 1999 }),
    lost: () => ({ id: 'none of the kind' }),
  },
  Author: {
    __resolveReference: (reference: Record<string, unknown>, context: unknown, info: GraphQLResolveInfo) => {
      resolvedReferences.push({ reference, wantsName: selectionOf(info).has('name'), context });
      if (reference.id === '0x66') throw new Error('this one is locked away');
      return reference.id === '0x64' ? null : { id: reference.id, year: reference._at };
    },
    _at: ({ year }: { year: number | null }) => (year === null ? null : String(year)),
    name: ({ id }: { id: string }) => `author ${Number(id)}`,
  },
});

const STUB = 'type Author @key(fields: "id _at") { id: Long! _at: String @inaccessible';

const shop = createDomainFixture(
  'shop',
  `
    ${STUB}
      "Books sold."
      sales(of: String): String
      "Another author, as the shop has it."
      rival: Author
      "Late."
      later: String
    }
    type Query {
      best: Author
      none: Author
      soon: Author!
      many: [Author]!
      most: [Author!]
      lists: [[Author]]
      shelf: Shelf
      wrong: Author
      keyless: Author
      unready: Author
    }
    type Shelf { owner: Author, number: Int }
  `,
  {
    Query: {
      best: () => ({ id: '0x1', _at: null }),
      none: () => null,
      soon: async () => ({ id: 2, _at: '1984' }),
      many: () => [{ id: '0x1' }, null, { id: 'x' }, { id: '0x66' }, Promise.resolve({ id: '0x2' }), new Error('no such shelf')],
      most: async () => [{ id: '0x1' }, { id: '0x64' }],
      lists: () => [[{ id: '0x1' }], null, [null]],
      shelf: () => ({ owner: { id: '0x7' }, number: 7 }),
      wrong: () => ({ id: 'x' }),
      keyless: () => ({}),
      unready: () => ({ id: Promise.resolve('0x9') }),
    },
    Author: {
      sales: (author: unknown, { of }: { of?: string }) => `${JSON.stringify(author)} ${of ?? ''}`,
      rival: ({ id }: { id: string }) => ({ id: `0x${(Number(id) + 1).toString(16)}`, _at: '2001' }),
      later: async ({ _at }: { _at: string | null }) => `at ${_at}`,
    },
  },
);

const graph = composeSchema([library, shop]);
const execute = createTestExecutor(graph);
const read = async (query: string) => {
  const { data, errors } = await execute(query);
  expect(errors).toEqual([]);
  return data;
};

describe('entity field', () => {
  test.each<[string, string, unknown, unknown[]]>([
    ['an entity', '{ best { id name } }', { best: { id: '0x1', name: 'author 1' } }, [{ id: '0x1', _at: null }]],
    ['null', '{ none { id } }', { none: null }, []],
    ['a promise of an entity', '{ soon { name } }', { soon: { name: 'author 2' } }, [{ id: '0x2', _at: '1984' }]],
    ['a property', '{ shelf { owner { name } } }', { shelf: { owner: { name: 'author 7' } } }, [{ id: '0x7', _at: null }]],
    ['an entity with a promised key', '{ unready { id } }', { unready: { id: '0x9' } }, [{ id: '0x9', _at: null }]],
  ])('entity field can return %s', async (_case, query, data, keys) => {
    expect(await read(query)).toEqual(data);
    expect(resolvedReferences.map(({ reference }) => reference)).toEqual(
      keys.map((key) => ({ __typename: 'Author', ...(key as object) })),
    );
  });

  test('entity field fails per list item, and is null for an entity that its owner does not find', async () => {
    const { data, errors } = await execute('{ many { id } most { id } }');
    expect(data).toEqual({ many: [{ id: '0x1' }, null, null, null, { id: '0x2' }, null], most: null });
    expect(errors.map((error) => error.split(':')[0]).sort()).toEqual(['many.2', 'many.3', 'many.5', 'most.1']);
  });

  test('entity field fails when the key is invalid or missing', async () => {
    const { data, errors } = await execute('{ wrong { id } keyless { id } }');
    expect(data).toEqual({ wrong: null, keyless: null });
    expect(errors).toEqual([
      'wrong: UPSTREAM_BAD_RESPONSE The node returned an invalid Long.',
      expect.stringMatching(/^keyless: INTERNAL_SERVER_ERROR /),
    ]);
    expect(resolvedReferences).toEqual([]);
  });

  test('entity field passes selection and context to the owner of the entity', async () => {
    const context = {};
    await execute('{ best { ...F } } fragment F on Author { name }', context);
    expect(resolvedReferences).toMatchObject([{ wantsName: true }]);
    expect(resolvedReferences[0]!.context).toBe(context);
  });
});

describe('extension field', () => {
  test.each([
    ['from its owner', '{ author(id: 5) { sales(of: "x") } }', 'author', '{"__typename":"Author","id":"0x5","_at":"1999"} x'],
    ['from the domain itself', '{ best { sales } }', 'best', '{"__typename":"Author","id":"0x1","_at":null} '],
  ])('extension field receives the key of an entity %s', async (_case, query, field, sales) => {
    expect((await read(query))[field]).toEqual({ sales });
  });

  test('extension field can return an entity, also as a promise', async () => {
    expect(await read('{ author(id: 5) { rival { name rival { id later } } } }')).toEqual({
      author: { rival: { name: 'author 6', rival: { id: '0x7', later: 'at 2001' } } },
    });
  });

  test('extension field fails when the key from the owner is invalid', async () => {
    const { data, errors } = await execute('{ lost { sales name } }');
    expect(data).toEqual({ lost: { sales: null, name: 'author NaN' } });
    expect(errors).toEqual(['lost.sales: UPSTREAM_BAD_RESPONSE The node returned an invalid Long.']);
  });
});

describe('composed schema', () => {
  test('composed schema has no router fields, and has the descriptions of the owner for any order of domains', () => {
    for (const all of [
      [library, shop],
      [shop, library],
    ]) {
      const text = printSchema(composeSchema(all));
      expect(text).not.toMatch(/_at|@key|@inaccessible|_entities|_service/);
      expect(text).toMatch(/"""Somebody who writes\."""\ntype Author \{/);
      expect(text).toMatch(/"""Number of the author\."""\n {2}id: Long!/);
      // Of the type, and of the arguments of `Query`, of `Chain` and of their interface.
      expect(text.match(/id: Long!/g)).toHaveLength(4);
    }
  });

  const owning = { Author: { __resolveReference: () => null, sales: () => null } };
  const b = (sdl: string, resolvers = {}) => createDomainFixture('b', sdl, resolvers);
  test.each([
    ['an entity has two owners', [library, b(`${STUB} }`, owning)], /library and b both own Author/],
    ['an entity has no owner', [shop], /No domain resolves references to Author/],
    [
      'an entity has two keys',
      [b('type A @key(fields: "a") @key(fields: "b") { a: Int b: Int }')],
      /A must have exactly one @key/,
    ],
    ['a key is not a scalar', [b('type A @key(fields: "a { b }") { a: A b: Int }')], /The key of A contains a/],
    ['keys differ', [library, b('type Author @key(fields: "id") { id: Long! }')], /The key of Author differs in b: id: Long!/],
    ['a resolved type has no key', [b('type Author { id: Int }', owning)], /b resolves references to Author/],
    ['an added field has no resolver', [library, b(`${STUB} sales: Int }`)], /b has no resolver for Author\.sales/],
    [
      'an entity of another domain is in a union',
      [library, b(`${STUB} } type B { b: Int } union Both = Author | B`)],
      /Both of b contains an entity of another domain/,
    ],
    ['a resolver has no field', [library, b('type B { b: Int }', { B: { c: () => 1 } })], /B\.c/],
  ])('composeSchema throws when %s', (_case, all, message) => {
    expect(() => composeSchema(all)).toThrow(message);
  });
});

describe('subgraph', () => {
  const atOwner = createTestExecutor(subgraphSchema([library]));
  const query = `query ($all: [_Any!]!) { _entities(representations: $all) { __typename ... on Author { id name } } }`;
  const entity = (id: unknown, more = {}) => ({ __typename: 'Author', id, ...more });

  test('subgraph resolves its own entities by keys in any notation', async () => {
    const all = [entity('0x01'), entity(2, { _at: '1984', more: true }), entity('100')];
    const { data, errors } = await atOwner(query, {}, { all });
    expect(errors).toEqual([]);
    expect(data._entities).toEqual([
      { __typename: 'Author', id: '0x1', name: 'author 1' },
      { __typename: 'Author', id: '0x2', name: 'author 2' },
      null,
    ]);
    expect(resolvedReferences.map(({ reference }) => reference._at)).toEqual([null, '1984', null]);
  });

  test('subgraph rejects each invalid representation separately', async () => {
    const all = [
      entity('x'),
      entity(null),
      {},
      'Author',
      { __typename: 'Query' },
      entity('0x66'),
      entity(1, { _at: 5 }),
      entity('0x1'),
    ];
    const { data, errors } = await atOwner(query, {}, { all });
    expect(data._entities.map((one: unknown) => one !== null)).toEqual([...Array(7).fill(false), true]);
    expect(errors.map((error) => error.replace(/^_entities\.(\d: \w+).*$/, '$1'))).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => `${i}: BAD_USER_INPUT`),
      '5: INTERNAL_SERVER_ERROR',
      '6: BAD_USER_INPUT',
    ]);
  });
});

describe('entities of several types at once', () => {
  const seen: Record<string, string[]> = {};
  const entityOf = (type: string) => ({
    __resolveReference: (reference: object, _context: unknown, info: GraphQLResolveInfo) => {
      seen[type] = ['id', 'a', 'b'].filter((name) => selectionOf(info).has(name));
      return reference;
    },
    a: () => type,
  });
  const both = createDomainFixture(
    'both',
    `type Query { one: Int }
     interface Named { a: String }
     type X implements Named @key(fields: "id") { id: Int! a: String b: X }
     type Y implements Named @key(fields: "id") { id: Int! a: String b: Y }`,
    { X: entityOf('X'), Y: entityOf('Y'), Named: { __resolveType: () => 'X' } },
  );
  const executeBoth = createTestExecutor(subgraphSchema([both]));

  test.each([
    ['inline fragments', '... on X { a } ... on Y { b { id } }', { X: ['a'], Y: ['b'] }],
    [
      'named fragments',
      '...F ...G } } fragment F on X { id b { id } } fragment G on _Entity { ...F ... on Y { a }',
      { X: ['id', 'b'], Y: ['a'] },
    ],
  ])('entities of several types each receive the selection of their type, by %s', async (_case, selection, expected) => {
    const all = ['X', 'Y'].map((__typename) => ({ __typename, id: 1 }));
    const query = `query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} }${selection.includes('fragment') ? '' : ' }'}`;
    const { errors } = await executeBoth(query, {}, { all });
    expect(errors).toEqual([]);
    expect(seen).toEqual(expected);
  });
});
