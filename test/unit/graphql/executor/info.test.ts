import { expect, test } from '@jest/globals';
import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
import { domains } from '../../../../src/serve.ts';
import {
  executeWithBoth,
  executeWithGraphqlJs,
  executeWithGrimoire,
  parseValid,
  resolveLater,
  schemaOf,
} from '../../../support/executor/differential-execution.ts';

type Path = GraphQLResolveInfo['path'] | undefined;

const pathOf = (path: Path): unknown[] => (path ? [...pathOf(path.prev), [path.key, path.typename]] : []);

/** All that info says, as what can be compared. */
const describeInfo = ({
  fieldName,
  fieldNodes,
  returnType,
  parentType,
  path,
  schema,
  fragments,
  rootValue,
  operation,
  variableValues,
}: GraphQLResolveInfo) =>
  JSON.stringify({
    fieldName,
    nodes: fieldNodes.map(({ alias, name, loc }) => [alias?.value, name.value, loc?.start]),
    returnType: String(returnType),
    parentType: parentType.name,
    path: pathOf(path),
    query: schema.getQueryType()?.name,
    fragments: Object.entries(fragments).map(([name, { loc }]) => [name, loc?.start]),
    rootValue: String(rootValue),
    operation: [operation.operation, operation.name?.value, operation.loc?.start],
    variableValues,
  });

const infoResolver = (_source: unknown, _args: unknown, _context: unknown, info: GraphQLResolveInfo) => describeInfo(info);

const schema = schemaOf(
  `
    type Query { info(a: Int): String, self: Query!, lists: [[Being]], property: Thing, late: [Query!] }
    interface Being { info: String }
    type Thing implements Being { info: String, things: [Thing!] }
  `,
  {
    Query: {
      info: infoResolver,
      self: () => ({}),
      lists: () => [[{ __typename: 'Thing' }], null, [{ __typename: 'Thing' }]],
      property: () => ({
        info: (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => describeInfo(info),
        things: [{}, {}],
      }),
      late: () => [resolveLater({}), {}],
    },
    Thing: {
      info: (source: { info?: unknown }, args: unknown, context: unknown, info: GraphQLResolveInfo) =>
        typeof source.info === 'function' ? source.info(args, context, info) : describeInfo(info),
    },
  },
);

test.each<[string, string, unknown]>([
  ['at the top', '{ info }', [['info', 'Query']]],
  ['under an alias', '{ is: info(a: 1) }', [['is', 'Query']]],
  [
    'below an object',
    '{ self { it: self { info } } }',
    [
      ['self', 'Query'],
      ['it', 'Query'],
      ['info', 'Query'],
    ],
  ],
  [
    'in lists of lists of what has a type',
    '{ lists { info } }',
    [
      ['lists', 'Query'],
      [0, undefined],
      [0, undefined],
      ['info', 'Thing'],
    ],
  ],
  [
    'in a fragment',
    '{ ...F } fragment F on Query { self { info } }',
    [
      ['self', 'Query'],
      ['info', 'Query'],
    ],
  ],
  [
    'where several were merged',
    '{ self { info(a: 1) } ...F } fragment F on Query { self { info(a: 1) ... { info(a: 1) } } }',
    [
      ['self', 'Query'],
      ['info', 'Query'],
    ],
  ],
  [
    'that is a property with a function',
    '{ property { info } }',
    [
      ['property', 'Query'],
      ['info', 'Thing'],
    ],
  ],
  [
    'of what comes late',
    '{ late { info } }',
    [
      ['late', 'Query'],
      [0, undefined],
      ['info', 'Query'],
    ],
  ],
  [
    'of a named operation with variables',
    'query Name($v: Int, $w: Int = 2, $u: Int) { info(a: $v) self { info(a: $w) ...F @skip(if: true) none: info(a: $u) } } fragment F on Query { late { info }  }',
    [['info', 'Query']],
  ],
])('a resolver is told all of the field %s', async (_case, source, path) => {
  const { text, errors } = await executeWithBoth(schema, source, { variables: { v: 1 } });
  expect(errors).toEqual([]);
  const [first] = text.matchAll(/"(\{.*?[^\\]\})"/g);
  const info = JSON.parse(JSON.parse(first![0]));
  expect(info.path).toEqual((path as unknown[][]).map(([key, type]) => [key, type ?? null]));
});

/** The one way to know is what it declares; info is made for those alone that look at it. */
test.each<[string, (...parameters: any[]) => unknown, boolean]>([
  ['four parameters', (_source, _args, _context, info) => info, true],
  ['a rest of parameters alone', (...all) => all[3], true],
  ['four of which the last is opened', (_source, _args, _context, { fieldName }) => fieldName, true],
  ['three parameters', (_source, _args, _context) => 1, false],
  ['fewer, and a rest', (_source, ...rest) => rest[2], false],
  ['a default, which hides those behind it', (_source, _args, _context = {}, info = undefined) => info, false],
])('a resolver with %s is told of the field or not', async (_case, resolve, isTold) => {
  let given: unknown;
  const watch = schemaOf('type Query { it: Boolean }', {
    Query: {
      it: Object.defineProperty(
        (...all: unknown[]) => {
          given = all[3];
        },
        'length',
        { value: resolve.length },
      ),
    },
  });
  await executeWithGrimoire(watch, parseValid(watch, '{ it }'));
  expect(given !== undefined).toBe(isTold);
});

test('no resolver of the graph hides behind its parameters that it looks at info', () => {
  const types = Object.values(composeSchema(domains).getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'));
  const resolvers = types.flatMap((type) =>
    Object.values(type.getFields()).map(({ name, resolve }) => [`${type.name}.${name}`, resolve] as const),
  );
  const hiding = resolvers.filter(([, resolve]) => {
    if (!resolve || resolve.length === 0 || resolve.length > 3) return false;
    const [parameters = ''] = String(resolve).split('=>', 1);
    return /\.\.\.\w+\s*\)|=|arguments/.test(parameters);
  });
  expect(hiding.map(([name]) => name)).toEqual([]);
  expect(resolvers.some(([, resolve]) => resolve && resolve.length > 3)).toBe(true);
});

test('what a resolver is told of one run is not what it is told of another', async () => {
  const document = parseValid(schema, 'query ($v: Int) { self { info(a: $v) } }');
  const [one, two] = await Promise.all([1, 2].map((v) => executeWithGrimoire(schema, document, { variables: { v } })));
  expect(one).toEqual(await executeWithGraphqlJs(schema, document, { variables: { v: 1 } }));
  expect(two).toEqual(await executeWithGraphqlJs(schema, document, { variables: { v: 2 } }));
});
