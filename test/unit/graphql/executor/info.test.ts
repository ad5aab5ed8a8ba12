import { expect, test } from '@jest/globals';
import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
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

/** The contents of info in comparable form. */
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
  [
    'in nested lists of an abstract type',
    '{ lists { info } }',
    [
      ['lists', 'Query'],
      [0, undefined],
      [0, undefined],
      ['info', 'Thing'],
    ],
  ],
  [
    'that is a function property',
    '{ property { info } }',
    [
      ['property', 'Query'],
      ['info', 'Thing'],
    ],
  ],
  [
    'in a named operation with variables',
    'query Name($v: Int, $w: Int = 2, $u: Int) { info(a: $v) self { info(a: $w) ...F @skip(if: true) none: info(a: $u) } } fragment F on Query { late { info }  }',
    [['info', 'Query']],
  ],
])('info equals that of graphql-js for a field %s', async (_case, source, path) => {
  const { text, errors } = await executeWithBoth(schema, source, { variables: { v: 1 } });
  expect(errors).toEqual([]);
  const [first] = text.matchAll(/"(\{.*?[^\\]\})"/g);
  const info = JSON.parse(JSON.parse(first![0]));
  expect(info.path).toEqual((path as unknown[][]).map(([key, type]) => [key, type ?? null]));
});

/** Only the declared parameters show whether a resolver reads info; info is created only for such resolvers. */
test.each<[string, (...parameters: any[]) => unknown, boolean]>([
  ['four parameters', (_source, _args, _context, info) => info, true],
  ['only a rest parameter', (...all) => all[3], true],
  ['four parameters, the last destructured', (_source, _args, _context, { fieldName }) => fieldName, true],
  ['three parameters', (_source, _args, _context) => 1, false],
  ['fewer parameters and a rest parameter', (_source, ...rest) => rest[2], false],
  ['a default value, which hides later parameters', (_source, _args, _context = {}, info = undefined) => info, false],
])('info is passed according to the declared parameters: %s', async (_case, resolve, receivesInfo) => {
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
  expect(given !== undefined).toBe(receivesInfo);
});

test('every resolver of the graph that reads info declares it', () => {
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

test('info of one execution is not reused in another', async () => {
  const document = parseValid(schema, 'query ($v: Int) { self { info(a: $v) } }');
  const [one, two] = await Promise.all([1, 2].map((v) => executeWithGrimoire(schema, document, { variables: { v } })));
  expect(one).toEqual(await executeWithGraphqlJs(schema, document, { variables: { v: 1 } }));
  expect(two).toEqual(await executeWithGraphqlJs(schema, document, { variables: { v: 2 } }));
});
