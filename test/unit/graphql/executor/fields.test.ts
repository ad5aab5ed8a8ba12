import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { executeWithBoth, schemaOf } from '../../../support/executor/differential-execution.ts';

const luke = { __typename: 'Human', id: 1, name: 'Luke', home: 'Tatooine', friends: () => [r2d2, falcon] };
const r2d2 = { __typename: 'Droid', id: 2, name: 'R2-D2', purpose: 'repairs', owner: luke };
const falcon = { __typename: 'Ship', name: 'Falcon', crew: [luke] };

const schema = schemaOf(
  `
    type Query { human: Human, being: Being, named: [Named], any: Any, anys: [Any!]!, self: Query!, flag(is: Boolean): Boolean }
    interface Named { name: String }
    interface Being implements Named { id: ID, name: String }
    type Human implements Being & Named { id: ID, name: String, home: String, friends: [Named] }
    type Droid implements Being & Named { id: ID, name: String, purpose: String, owner: Human }
    type Ship implements Named { name: String, crew: [Human] }
    union Any = Human | Droid | Ship
    union Crew = Human | Droid
  `,
  {
    Query: {
      human: () => luke,
      being: () => r2d2,
      named: () => [luke, r2d2, falcon],
      any: () => falcon,
      anys: () => [falcon, luke, r2d2],
      self: () => ({}),
      flag: (_source: unknown, { is }: { is?: boolean }) => is,
    },
  },
);

test.each<[string, string, string]>([
  ['a field', '{ human { name } }', '{"human":{"name":"Luke"}}'],
  [
    'fields in selection order',
    '{ human { home id name } flag }',
    '{"human":{"home":"Tatooine","id":"1","name":"Luke"},"flag":null}',
  ],
  ['a field under an alias', '{ human { is: name } }', '{"human":{"is":"Luke"}}'],
  ['a field under several aliases', '{ a: human { name } b: human { id } }', '{"a":{"name":"Luke"},"b":{"id":"1"}}'],
  ['two fields that swap names', '{ human { home: name name: home } }', '{"human":{"home":"Luke","name":"Tatooine"}}'],
  ['a repeated field once', '{ human { name name id name } }', '{"human":{"name":"Luke","id":"1"}}'],
  [
    'the merged selections of several nodes',
    '{ human { id } flag human { name id } }',
    '{"human":{"id":"1","name":"Luke"},"flag":null}',
  ],
  [
    'aliases such as __proto__',
    '{ human { __proto__: name constructor: id toString: home } }',
    '{"human":{"__proto__":"Luke","constructor":"1","toString":"Tatooine"}}',
  ],
  [
    'response keys such as then and hasOwnProperty',
    '{ __proto__: flag(is: true) hasOwnProperty: human { id } valueOf: self { then: flag(is: false) } }',
    '{"__proto__":true,"hasOwnProperty":{"id":"1"},"valueOf":{"then":false}}',
  ],
])('the response contains %s', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

describe('a fragment', () => {
  test.each<[string, string, string]>([
    [
      'adds its fields at its position',
      '{ human { id ...F home } } fragment F on Human { name }',
      '{"human":{"id":"1","name":"Luke","home":"Tatooine"}}',
    ],
    [
      'does not move a field selected before it',
      '{ human { id ...F } } fragment F on Human { name id }',
      '{"human":{"id":"1","name":"Luke"}}',
    ],
    ['without a type adds its fields', '{ human { ... { name } } }', '{"human":{"name":"Luke"}}'],
    [
      'in a fragment adds its fields',
      '{ human { ...F } } fragment F on Human { ...G id } fragment G on Human { name }',
      '{"human":{"name":"Luke","id":"1"}}',
    ],
    [
      'spread twice adds its fields once',
      '{ human { ...F id ...F } } fragment F on Human { name }',
      '{"human":{"name":"Luke","id":"1"}}',
    ],
    [
      'merges nested selections with another fragment',
      '{ self { ...F ...G } } fragment F on Query { human { id } } fragment G on Query { human { name friends { name } } human { home } }',
      '{"self":{"human":{"id":"1","name":"Luke","friends":[{"name":"R2-D2"},{"name":"Falcon"}],"home":"Tatooine"}}}',
    ],
    ['of the operation itself adds its fields', '{ ...F } fragment F on Query { flag }', '{"flag":null}'],
    ['on an interface applies to all its types', '{ anys { ... on Being { id } } }', '{"anys":[{},{"id":"1"},{"id":"2"}]}'],
    [
      'on a union applies to all its types',
      '{ named { ... on Any { ... on Named { name } } } }',
      '{"named":[{"name":"Luke"},{"name":"R2-D2"},{"name":"Falcon"}]}',
    ],
    [
      'on a union applies to no other type',
      '{ named { ... on Crew { ... on Named { name } } } }',
      '{"named":[{"name":"Luke"},{"name":"R2-D2"},{}]}',
    ],
    [
      'on an object type applies only to that type',
      '{ named { ... on Droid { name purpose } ... on Ship { name } } }',
      '{"named":[{},{"name":"R2-D2","purpose":"repairs"},{"name":"Falcon"}]}',
    ],
    [
      'visited for one type still applies to another',
      '{ anys { ...F ... on Human { ...F } } } fragment F on Being { id }',
      '{"anys":[{},{"id":"1"},{"id":"2"}]}',
    ],
    [
      'determines the order for each type',
      '{ named { ... on Droid { purpose name } name ... on Human { home } } }',
      '{"named":[{"name":"Luke","home":"Tatooine"},{"purpose":"repairs","name":"R2-D2"},{"name":"Falcon"}]}',
    ],
    [
      'may use one alias for different fields of different types',
      '{ anys { ... on Human { it: home } ... on Droid { it: purpose } ... on Ship { it: name } } }',
      '{"anys":[{"it":"Falcon"},{"it":"Tatooine"},{"it":"repairs"}]}',
    ],
    [
      'merges with nested fields of an interface',
      '{ any { ... on Named { name } ... on Ship { crew { id } } ...F } } fragment F on Ship { crew { friends { ... on Droid { owner { id } } } } }',
      '{"any":{"name":"Falcon","crew":[{"id":"1","friends":[{"owner":{"id":"1"}},{}]}]}}',
    ],
    ['may be called constructor', '{ ...constructor } fragment constructor on Query { flag }', '{"flag":null}'],
    ['may be called __proto__', '{ ...__proto__ } fragment __proto__ on Query { flag }', '{"flag":null}'],
  ])('fragment %s', async (_case, source, expected) => {
    expect((await executeWithBoth(schema, source)).text).toBe(expected);
  });
});

test.each<[string, string, string]>([
  ['an object', '{ human { __typename } }', '{"human":{"__typename":"Human"}}'],
  ['an interface', '{ being { __typename } }', '{"being":{"__typename":"Droid"}}'],
  ['a union', '{ anys { __typename } }', '{"anys":[{"__typename":"Ship"},{"__typename":"Human"},{"__typename":"Droid"}]}'],
  ['the operation', '{ __typename self { __typename } }', '{"__typename":"Query","self":{"__typename":"Query"}}'],
  ['several aliases', '{ any { a: __typename b: __typename } }', '{"any":{"a":"Ship","b":"Ship"}}'],
])('__typename is resolved for %s', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

describe('introspection', () => {
  test('introspection returns the whole schema', async () => {
    const { text } = await executeWithBoth(
      schema,
      getIntrospectionQuery({ specifiedByUrl: true, oneOf: true, inputValueDeprecation: true }),
    );
    expect(JSON.parse(text).__schema.queryType).toEqual({ name: 'Query', kind: 'OBJECT' });
  });

  test.each<[string, string, string]>([
    [
      'works beside other fields',
      '{ flag __schema { queryType { name } } }',
      '{"flag":null,"__schema":{"queryType":{"name":"Query"}}}',
    ],
    [
      'returns one type',
      '{ __type(name: "Ship") { kind fields { name } } }',
      '{"__type":{"kind":"OBJECT","fields":[{"name":"name"},{"name":"crew"}]}}',
    ],
    [
      'returns a type named by a variable',
      'query ($name: String!) { __type(name: $name) { name } }',
      '{"__type":{"name":"Being"}}',
    ],
    [
      'returns null for an unknown type',
      '{ a: __type(name: "Nothing") { name } b: __type(name: "constructor") { name } }',
      '{"a":null,"b":null}',
    ],
    [
      'works in a nested Query object',
      '{ self { __type(name: "Any") { possibleTypes { name } } } }',
      '{"self":{"__type":{"possibleTypes":[{"name":"Human"},{"name":"Droid"},{"name":"Ship"}]}}}',
    ],
    [
      'resolves its own __typename',
      '{ __schema { __typename types @skip(if: true) { name } } }',
      '{"__schema":{"__typename":"__Schema"}}',
    ],
  ])('introspection %s', async (_case, source, expected) => {
    expect((await executeWithBoth(schema, source, { variables: { name: 'Being' } })).text).toBe(expected);
  });
});
