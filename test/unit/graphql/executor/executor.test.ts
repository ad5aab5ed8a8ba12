import { expect, test } from '@jest/globals';
import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
import {
  executeWithBoth,
  executeWithGraphqlJs,
  executeWithGrimoire,
  parseValid,
  rejectLater,
  schemaOf,
  schemaOfField,
  thenable,
} from '../../../support/executor/differential-execution.ts';

/** What `random-operations.test.ts` does not compare with graphql-js. */

test.each<[string, () => unknown, string]>([
  ['rejected', () => thenable((_resolve, reject) => reject(new Error('x'))), 'x'],
  ['rejected by the promise that it resolves with', () => thenable((resolve) => resolve(rejectLater(new Error('x')))), 'x'],
  ['a bigint', () => 1n, 'Do not know how to serialize a BigInt'],
  ['a function', () => () => 0, 'Any cannot represent this value.'],
  ['an object whose toJSON returns undefined', () => ({ toJSON: () => undefined }), 'Any cannot represent this value.'],
])('a value that is %s is an error of its item only', async (_case, value, message) => {
  const schema = schemaOfField('[Any]', () => [1, value(), { toJSON: () => 2 }]);
  const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
  expect(text).toBe('{"it":[1,null,2]}');
  expect(errors).toEqual([{ message, path: ['it', 1], locations: '1:3' }]);
});

test('a value without a type is an error of its field', async () => {
  const schema = schemaOf(
    'type Query { one: Being } interface Being { name: String } type Cat implements Being { name: String }',
    { Query: { one: () => ({}) }, Being: { __resolveType: () => 'Query' } },
  );
  const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ one { name } }'));
  expect(text).toBe('{"one":null}');
  const message = 'Cannot determine the type of a value of Query.one: expected an object type of Being.';
  expect(errors).toEqual([{ message, path: ['one'], locations: '1:3' }]);
});

test('an error has the locations of all merged nodes', async () => {
  const schema = schemaOfField('[Thing]', () => [{ sure: null }]);
  const source = '{\n it { one { name } }\n ...F\n}\nfragment F on Query {\n  it { sure ...G }\n}\nfragment G on Thing { sure }';
  const message = 'Cannot return null for non-nullable field Thing.sure.';
  expect((await executeWithBoth(schema, source)).errors).toEqual([{ message, path: ['it', 0, 'sure'], locations: '6:8 8:23' }]);
});

test('argument objects are frozen, because list items and executions share them', async () => {
  const received = new Set<unknown>();
  const schema = schemaOf('type Query { it(a: Int): Int, many: [Query!] }', {
    Query: { it: (_source: unknown, args: unknown) => void received.add(args), many: () => [{}, {}] },
  });
  const document = parseValid(schema, 'query ($v: Int) { many { it(a: $v) b: it c: it(a: 1) } }');
  await executeWithGrimoire(schema, document, { variables: { v: 1 } });
  expect([...received].map((args) => Object.isFrozen(args))).toEqual([true, true, true]);
});

test('variables of other directives do not affect the conditions', async () => {
  const schema = schemaOf('directive @about(what: String) on FIELD type Query { a: Int, b: Int }', {
    Query: { a: () => 1, b: () => 2 },
  });
  const document = parseValid(
    schema,
    'query ($s: String, $is: Boolean!, $t: String) { a @about(what: $s) @include(if: $is) b @about(what: $t) }',
  );
  const textFor = async (variables: Record<string, unknown>) => (await executeWithGrimoire(schema, document, { variables })).text;
  expect(await textFor({ s: 'x,true', is: false, t: 'y' })).toBe('{"b":2}');
  expect(await textFor({ s: 'x', is: true, t: 'false,y' })).toBe('{"a":1,"b":2}');
});

test('info equals the info of graphql-js, also in lists of an abstract type and for a method', async () => {
  const pathOf = (path: GraphQLResolveInfo['path'] | undefined): unknown[] =>
    path ? [...pathOf(path.prev), [path.key, path.typename]] : [];
  const describeInfo = ({ fieldNodes, returnType, parentType, path, schema: _schema, fragments, ...rest }: GraphQLResolveInfo) =>
    JSON.stringify({
      ...rest,
      nodes: fieldNodes.map(({ loc }) => loc?.start),
      types: [String(returnType), parentType.name],
      path: pathOf(path),
      fragments: Object.keys(fragments),
    });
  const info = (_source: unknown, _args: unknown, _context: unknown, given: GraphQLResolveInfo) => describeInfo(given);
  const method = (_args: unknown, _context: unknown, given: GraphQLResolveInfo) => describeInfo(given);
  const schema = schemaOf(
    `type Query { info(a: Int): String, lists: [[Being]], thing: Thing }
     interface Being { info: String }
     type Thing implements Being { info: String, method: String }`,
    {
      Query: { info, lists: () => [[{ __typename: 'Thing' }], null], thing: () => ({ method }) },
      Thing: { info },
    },
  );
  const source = 'query Name($v: Int) { info(a: $v) lists { info } thing { method ...F } } fragment F on Thing { again: method }';
  for (const v of [1, 2]) expect((await executeWithBoth(schema, source, { variables: { v } })).errors).toEqual([]);
  const document = parseValid(schema, source);
  const results = await Promise.all([1, 2].map((v) => executeWithGrimoire(schema, document, { variables: { v } })));
  const expected = await Promise.all([1, 2].map((v) => executeWithGraphqlJs(schema, document, { variables: { v } })));
  expect(results).toEqual(expected);
});

/** The executor creates info only for resolvers whose declared parameters show that they read it. */
test.each<[string, (...parameters: never[]) => unknown, boolean]>([
  ['four parameters', (_source, _args, _context, info) => info, true],
  ['only a rest parameter', (...all) => all[3], true],
  ['three parameters', (_source, _args, _context) => 1, false],
])('info is passed according to the declared parameters: %s', async (_case, { length }, receivesInfo) => {
  let given: unknown;
  const it = (...all: unknown[]): void => {
    given = all[3];
  };
  const schema = schemaOf('type Query { it: Boolean }', {
    Query: { it: Object.defineProperty(it, 'length', { value: length }) },
  });
  await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
  expect(given !== undefined).toBe(receivesInfo);
});

test('every resolver of the graph that reads info declares it', () => {
  const types = Object.values(composeSchema(domains).getTypeMap()).filter(isObjectType);
  const own = types.filter(({ name }) => !name.startsWith('__'));
  const resolvers = own.flatMap((type) => Object.values(type.getFields()).map(({ resolve }) => resolve));
  const hiding = resolvers.filter((resolve) => {
    if (!resolve || resolve.length === 0 || resolve.length > 3) return false;
    const [parameters = ''] = String(resolve).split('=>', 1);
    return /\.\.\.\w+\s*\)|=|arguments/.test(parameters);
  });
  expect(hiding.map(String)).toEqual([]);
  expect(resolvers.some((resolve) => resolve && resolve.length > 3)).toBe(true);
});
