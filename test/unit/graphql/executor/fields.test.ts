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
    'fields in the order in which they are asked',
    '{ human { home id name } flag }',
    '{"human":{"home":"Tatooine","id":"1","name":"Luke"},"flag":null}',
  ],
  ['a field under an alias', '{ human { is: name } }', '{"human":{"is":"Luke"}}'],
  ['a field under several aliases', '{ a: human { name } b: human { id } }', '{"a":{"name":"Luke"},"b":{"id":"1"}}'],
  ['two fields that swap names', '{ human { home: name name: home } }', '{"human":{"home":"Luke","name":"Tatooine"}}'],
  ['a field asked twice once', '{ human { name name id name } }', '{"human":{"name":"Luke","id":"1"}}'],
  [
    'what several places ask below one field as one',
    '{ human { id } flag human { name id } }',
    '{"human":{"id":"1","name":"Luke"},"flag":null}',
  ],
  [
    'aliases that objects have a meaning for',
    '{ human { __proto__: name constructor: id toString: home } }',
    '{"human":{"__proto__":"Luke","constructor":"1","toString":"Tatooine"}}',
  ],
  [
    'fields with names that objects have a meaning for',
    '{ __proto__: flag(is: true) hasOwnProperty: human { id } valueOf: self { then: flag(is: false) } }',
    '{"__proto__":true,"hasOwnProperty":{"id":"1"},"valueOf":{"then":false}}',
  ],
])('the answer holds %s', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

describe('a fragment', () => {
  test.each<[string, string, string]>([
    [
      'adds its fields where it stands',
      '{ human { id ...F home } } fragment F on Human { name }',
      '{"human":{"id":"1","name":"Luke","home":"Tatooine"}}',
    ],
    [
      'does not move a field that is asked before it',
      '{ human { id ...F } } fragment F on Human { name id }',
      '{"human":{"id":"1","name":"Luke"}}',
    ],
    ['without a type adds its fields', '{ human { ... { name } } }', '{"human":{"name":"Luke"}}'],
    [
      'in a fragment adds its fields',
      '{ human { ...F } } fragment F on Human { ...G id } fragment G on Human { name }',
      '{"human":{"name":"Luke","id":"1"}}',
    ],
    ['spread twice counts once', '{ human { ...F id ...F } } fragment F on Human { name }', '{"human":{"name":"Luke","id":"1"}}'],
    [
      'and another merge what they ask below a field',
      '{ self { ...F ...G } } fragment F on Query { human { id } } fragment G on Query { human { name friends { name } } human { home } }',
      '{"self":{"human":{"id":"1","name":"Luke","friends":[{"name":"R2-D2"},{"name":"Falcon"}],"home":"Tatooine"}}}',
    ],
    ['of the operation itself adds its fields', '{ ...F } fragment F on Query { flag }', '{"flag":null}'],
    ['on an interface is for all its types', '{ anys { ... on Being { id } } }', '{"anys":[{},{"id":"1"},{"id":"2"}]}'],
    [
      'on a union is for all its types',
      '{ named { ... on Any { ... on Named { name } } } }',
      '{"named":[{"name":"Luke"},{"name":"R2-D2"},{"name":"Falcon"}]}',
    ],
    [
      'on a union is for no other type',
      '{ named { ... on Crew { ... on Named { name } } } }',
      '{"named":[{"name":"Luke"},{"name":"R2-D2"},{}]}',
    ],
    [
      'on an object type is for that alone',
      '{ named { ... on Droid { name purpose } ... on Ship { name } } }',
      '{"named":[{},{"name":"R2-D2","purpose":"repairs"},{"name":"Falcon"}]}',
    ],
    [
      'on one type hides nothing for another',
      '{ anys { ...F ... on Human { ...F } } } fragment F on Being { id }',
      '{"anys":[{},{"id":"1"},{"id":"2"}]}',
    ],
    [
      'decides the order anew for each type',
      '{ named { ... on Droid { purpose name } name ... on Human { home } } }',
      '{"named":[{"name":"Luke","home":"Tatooine"},{"purpose":"repairs","name":"R2-D2"},{"name":"Falcon"}]}',
    ],
    [
      'gives one name to different fields of different types',
      '{ anys { ... on Human { it: home } ... on Droid { it: purpose } ... on Ship { it: name } } }',
      '{"anys":[{"it":"Falcon"},{"it":"Tatooine"},{"it":"repairs"}]}',
    ],
    [
      'merges with fields of an interface below',
      '{ any { ... on Named { name } ... on Ship { crew { id } } ...F } } fragment F on Ship { crew { friends { ... on Droid { owner { id } } } } }',
      '{"any":{"name":"Falcon","crew":[{"id":"1","friends":[{"owner":{"id":"1"}},{}]}]}}',
    ],
    ['may be called constructor', '{ ...constructor } fragment constructor on Query { flag }', '{"flag":null}'],
    ['may be called __proto__', '{ ...__proto__ } fragment __proto__ on Query { flag }', '{"flag":null}'],
  ])('%s', async (_case, source, expected) => {
    expect((await executeWithBoth(schema, source)).text).toBe(expected);
  });
});

test.each<[string, string, string]>([
  ['an object', '{ human { __typename } }', '{"human":{"__typename":"Human"}}'],
  ['an interface', '{ being { __typename } }', '{"being":{"__typename":"Droid"}}'],
  ['a union', '{ anys { __typename } }', '{"anys":[{"__typename":"Ship"},{"__typename":"Human"},{"__typename":"Droid"}]}'],
  ['the operation', '{ __typename self { __typename } }', '{"__typename":"Query","self":{"__typename":"Query"}}'],
  ['one thing under aliases', '{ any { a: __typename b: __typename } }', '{"any":{"a":"Ship","b":"Ship"}}'],
])('the type name of %s is known', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

describe('the schema itself is asked', () => {
  test('as a whole', async () => {
    const { text } = await executeWithBoth(
      schema,
      getIntrospectionQuery({ specifiedByUrl: true, oneOf: true, inputValueDeprecation: true }),
    );
    expect(JSON.parse(text).__schema.queryType).toEqual({ name: 'Query', kind: 'OBJECT' });
  });

  test.each<[string, string, string]>([
    [
      'beside other fields',
      '{ flag __schema { queryType { name } } }',
      '{"flag":null,"__schema":{"queryType":{"name":"Query"}}}',
    ],
    [
      'about one type',
      '{ __type(name: "Ship") { kind fields { name } } }',
      '{"__type":{"kind":"OBJECT","fields":[{"name":"name"},{"name":"crew"}]}}',
    ],
    [
      'about a type that a variable names',
      'query ($name: String!) { __type(name: $name) { name } }',
      '{"__type":{"name":"Being"}}',
    ],
    ['about no type', '{ a: __type(name: "Nothing") { name } b: __type(name: "constructor") { name } }', '{"a":null,"b":null}'],
    [
      'at any depth where the operation begins anew',
      '{ self { __type(name: "Any") { possibleTypes { name } } } }',
      '{"self":{"__type":{"possibleTypes":[{"name":"Human"},{"name":"Droid"},{"name":"Ship"}]}}}',
    ],
    [
      'for its own type name',
      '{ __schema { __typename types @skip(if: true) { name } } }',
      '{"__schema":{"__typename":"__Schema"}}',
    ],
  ])('%s', async (_case, source, expected) => {
    expect((await executeWithBoth(schema, source, { variables: { name: 'Being' } })).text).toBe(expected);
  });
});
