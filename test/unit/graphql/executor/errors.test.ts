import { describe, expect, test } from '@jest/globals';
import { GraphQLError, getOperationAST, parse } from 'graphql';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import {
  executeWithBoth,
  executeWithGrimoire,
  parseValid,
  rejectLater,
  resolveLater,
  schemaOf,
  schemaOfField,
  thenable,
} from '../../../support/executor/differential-execution.ts';

const fail = (message: string) => () => {
  throw new Error(message);
};

const thrown = (value: unknown) => () => {
  throw value;
};

/** Errors as `path: message`. */
const errorTexts = (errors: readonly { path?: readonly (string | number)[] | undefined; message: string }[]) =>
  errors.map(({ path, message }) => `${path?.join('.')}: ${message}`);

const NULL_NAME = 'Cannot return null for non-nullable field';
const NO_LIST = 'Expected Iterable, but did not find one for field "Query.it".';

describe('field errors equal those of graphql-js', () => {
  test.each<[string, string, () => unknown, string, string[]]>([
    ['a thrown error', 'Int', fail('x'), 'null', ['it: x']],
    ['a rejection', 'Int', () => Promise.reject(new Error('x')), 'null', ['it: x']],
    ['a later rejection', 'Int', () => rejectLater(new Error('x')), 'null', ['it: x']],
    ['an error thrown by a thenable', 'Int', () => thenable(fail('x')), 'null', ['it: x']],
    ['an Error as value', 'Int', () => new Error('x'), 'null', ['it: x']],
    ['an Error as list', '[Int]', () => new Error('x'), 'null', ['it: x']],
    ['an Error as object', 'Thing', () => new TypeError('x'), 'null', ['it: x']],
    ['an Error as non-null value', 'Int!', () => new Error('x'), '', ['it: x']],
    ['a promised Error', 'Int', async () => new Error('x'), 'null', ['it: x']],
    ['an Error as item', '[Int]', () => [1, new Error('x'), 2], '[1,null,2]', ['it.1: x']],
    ['a promised Error as item', '[Int]', () => [resolveLater(new Error('x')), 1], '[null,1]', ['it.0: x']],
    ['a rejected item', '[Int]', () => [1, rejectLater(new Error('x')), 2], '[1,null,2]', ['it.1: x']],
    ['a failed non-null item', '[Int!]', () => [1, new Error('x')], 'null', ['it.1: x']],
    ['a failed item of a nested list', '[[Int]]', () => [[1], [1, new Error('x')]], '[[1],[1,null]]', ['it.1.1: x']],
    [
      'a failed non-null item of a nested list',
      '[[Int!]]',
      () => [[1], [resolveLater(1), rejectLater(new Error('x'))]],
      '[[1],null]',
      ['it.1.1: x'],
    ],
    ['a failed item of nested non-null lists', '[[Int!]!]', () => [[1], [new Error('x')]], 'null', ['it.1.0: x']],
    ['a thrown string', 'Int', thrown('x'), 'null', ['it: Unexpected error value: "x"']],
    ['thrown undefined', 'Int', thrown(undefined), 'null', ['it: Unexpected error value: undefined']],
    ['thrown null', 'Int', thrown(null), 'null', ['it: Unexpected error value: null']],
    ['a thrown object', 'Int', thrown({ a: 1 }), 'null', ['it: Unexpected error value: { a: 1 }']],
    ['a rejection with undefined', 'Int', () => Promise.reject(), 'null', ['it: Unexpected error value: undefined']],
    ['a rejection with a string', '[Int]', () => [Promise.reject('x')], '[null]', ['it.0: Unexpected error value: "x"']],
    ['a string as Int', 'Int', () => 'x', 'null', ['it: Int cannot represent non-integer value: "x"']],
    [
      'a number beyond 32 bits',
      '[Int]',
      () => [2 ** 31],
      '[null]',
      ['it.0: Int cannot represent non 32-bit signed integer value: 2147483648'],
    ],
    ['NaN as Float', 'Float!', () => Number.NaN, '', ['it: Float cannot represent non numeric value: NaN']],
    ['an object as String', 'String', () => ({}), 'null', ['it: String cannot represent value: {}']],
    ['an unknown enum value', '[Color!]', () => [1, 2], 'null', ['it.1: Enum "Color" cannot represent value: 2']],
    ['a string as list', '[String]', () => 'text', 'null', [`it: ${NO_LIST}`]],
    ['a number as list', '[Int]', () => 1, 'null', [`it: ${NO_LIST}`]],
    ['an object as list', '[Int]', () => ({ length: 0 }), 'null', [`it: ${NO_LIST}`]],
    ['an object with a null iterator as list', '[Int]', () => ({ [Symbol.iterator]: null }), 'null', [`it: ${NO_LIST}`]],
    ['a function as list', '[Int]', () => resolveLater(() => []), 'null', [`it: ${NO_LIST}`]],
    ['a number as nested list', '[[Int]]', () => [[1], 2], '[[1],null]', [`it.1: ${NO_LIST}`]],
    ['null of a non-null type', 'Int!', () => null, '', [`it: ${NULL_NAME} Query.it.`]],
    ['undefined of a non-null type', 'Thing!', () => undefined, '', [`it: ${NULL_NAME} Query.it.`]],
    ['a promised null of a non-null type', 'Int!', () => resolveLater(null), '', [`it: ${NULL_NAME} Query.it.`]],
    ['null as non-null item', '[Int!]', () => [1, null], 'null', [`it.1: ${NULL_NAME} Query.it.`]],
    [
      'a promised null as non-null item',
      '[[Int!]]',
      () => [[1], [resolveLater(undefined)]],
      '[[1],null]',
      [`it.1.0: ${NULL_NAME} Query.it.`],
    ],
    [
      'a list whose iterator throws',
      '[Int]',
      () => ({
        *[Symbol.iterator]() {
          yield 1;
          throw new Error('x');
        },
      }),
      'null',
      ['it: x'],
    ],
  ])('field error equals that of graphql-js for %s', async (_case, type, resolve, expected, messages) => {
    const { text, errors } = await executeWithBoth(
      schemaOfField(type, resolve),
      `{ other it ${type.includes('Thing') ? '{ name }' : ''} }`,
    );
    expect(text).toBe(expected === '' ? 'null' : `{"other":1,"it":${expected}}`);
    expect(errorTexts(errors)).toEqual(messages);
  });

  /** These thenables fail in graphql-js, where `then` must return a promise and must not resolve with another promise. */
  test.each<[string, () => unknown, string]>([
    ['rejected', () => thenable((_resolve, reject) => reject(new Error('x'))), 'x'],
    ['rejected by the promise that it resolves with', () => thenable((resolve) => resolve(rejectLater(new Error('x')))), 'x'],
  ])('field error is reported for a thenable that is %s', async (_case, resolve, message) => {
    const schema = schemaOfField('[Int]', () => [resolve(), 1]);
    const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
    expect(text).toBe('{"it":[null,1]}');
    expect(errorTexts(errors)).toEqual([`it.0: ${message}`]);
  });

  test('several errors of one selection are all reported', async () => {
    const { text, errors } = await executeWithBoth(
      schemaOfField('[Int]', () => [new Error('a'), 1, rejectLater(new Error('b'))]),
      '{ it again: it }',
    );
    expect(text).toBe('{"it":[null,1,null],"again":[null,1,null]}');
    expect(errorTexts(errors)).toEqual(['again.0: a', 'it.0: a', 'again.2: b', 'it.2: b']);
  });

  test('a throwing property getter is an error of its field', async () => {
    const value = {
      get name() {
        throw new Error('x');
      },
      sure: 1,
    };
    const { text, errors } = await executeWithBoth(
      schemaOfField('Thing', () => value),
      '{ it { name sure } }',
    );
    expect(text).toBe('{"it":{"name":null,"sure":1}}');
    expect(errorTexts(errors)).toEqual(['it.name: x']);
  });

  test('error of a field has the extensions of the thrown GraphQLError', async () => {
    const schema = schemaOfField('Int', thrown(new GraphQLError('x', { extensions: { code: 'Y' } })));
    const { errors } = await executeWithBoth(schema, '{ it }');
    expect(errorTexts(errors)).toEqual(['it: x']);
  });
});

describe('null of a non-null field propagates', () => {
  const name = { sure: 1, name: 'x' };

  test.each<[string, string, unknown, string, string, string]>([
    ['to the object', 'Thing', { sure: null }, '{ sure name }', '{"it":null,"other":1}', 'it.sure'],
    [
      'to a promised object',
      'Thing',
      resolveLater({ sure: resolveLater(null) }),
      '{ name sure }',
      '{"it":null,"other":1}',
      'it.sure',
    ],
    [
      'to the nested object',
      'Thing',
      { one: { sure: null }, name: 'x' },
      '{ one { sure } name }',
      '{"it":{"one":null,"name":"x"},"other":1}',
      'it.one.sure',
    ],
    [
      'through objects',
      'Thing',
      { its: { its: { sure: resolveLater(null) } } },
      '{ its { its { sure } } }',
      '{"it":null,"other":1}',
      'it.its.its.sure',
    ],
    [
      'to the item',
      '[Thing]',
      [name, { sure: null }, name],
      '{ sure }',
      '{"it":[{"sure":1},null,{"sure":1}],"other":1}',
      'it.1.sure',
    ],
    ['to the list', '[Thing!]', [name, { sure: null }], '{ sure }', '{"it":null,"other":1}', 'it.1.sure'],
    [
      'to a promised list',
      '[Thing!]',
      [resolveLater(name), resolveLater({ sure: resolveLater(null) })],
      '{ sure }',
      '{"it":null,"other":1}',
      'it.1.sure',
    ],
    ['to the outer list', '[[Thing!]!]', [[name], [{ sure: null }]], '{ sure }', '{"it":null,"other":1}', 'it.1.0.sure'],
    [
      'to the inner list',
      '[[Thing!]]',
      [[name], [{ sure: null }]],
      '{ sure }',
      '{"it":[[{"sure":1}],null],"other":1}',
      'it.1.0.sure',
    ],
    [
      'through lists and objects',
      'Thing',
      { one: { all: [{ all: [{ sure: null }] }] } },
      '{ one { all { all { sure } } } }',
      '{"it":{"one":null},"other":1}',
      'it.one.all.0.all.0.sure',
    ],
    [
      'to a nested list',
      'Thing',
      { some: [{ its: { sure: resolveLater(null) } }], sure: 2 },
      '{ some { its { sure } } sure }',
      '{"it":{"some":null,"sure":2},"other":1}',
      'it.some.0.its.sure',
    ],
    ['to the root', 'Thing!', { its: { sure: null } }, '{ its { sure } }', 'null', 'it.its.sure'],
    [
      'to the root through lists',
      '[[Thing!]!]!',
      [[name], [resolveLater({ sure: resolveLater(null) })]],
      '{ sure }',
      'null',
      'it.1.0.sure',
    ],
    ['to the root when an object is missing', 'Thing!', { its: undefined }, '{ its { sure } }', 'null', 'it.its'],
  ])('null of a non-null field propagates %s', async (_case, type, value, below, expected, path) => {
    const { text, errors } = await executeWithBoth(
      schemaOfField(type, () => value),
      `{ it ${below} other }`,
    );
    expect(text).toBe(expected);
    expect(errors.map((error) => error.path?.join('.'))).toEqual([path]);
  });

  test('null of a non-null field propagates only to the nearest nullable field', async () => {
    const { text, errors } = await executeWithBoth(
      schemaOfField('Int!', () => null),
      '{ other self { other it } others { other it } }',
    );
    expect(text).toBe('{"other":1,"self":null,"others":null}');
    // graphql-js stops a list at the first failed item and reports no other.
    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['others.0.it', 'self.it']);
  });
});

test('an error has the locations of all merged nodes', async () => {
  const schema = schemaOfField('[Thing]', () => [{ sure: null }]);
  const { errors } = await executeWithBoth(
    schema,
    '{\n it { one { name } }\n ...F\n}\nfragment F on Query {\n  it { sure ...G }\n}\nfragment G on Thing { sure }',
  );
  expect(errors).toEqual([{ message: `${NULL_NAME} Thing.sure.`, path: ['it', 0, 'sure'], locations: '6:8 8:23' }]);
  const whole = await executeWithBoth(schemaOfField('Int', fail('x')), '{\n it\n self { it }\n ... { it }\n}');
  expect(whole.errors.map(({ locations }) => locations)).toEqual(['2:2 4:8', '3:9']);
});

test.each<[string, string, string | undefined]>([
  ['an undefined operation name', 'query A { other } query B { other }', 'C'],
  ['several operations without a name', 'query A { other } query B { other }', undefined],
  ['an operation type that the schema lacks', 'subscription { other }', undefined],
  ['a missing variable', 'query ($n: Int!) { other @skip(if: false) }', undefined],
])('executor delegates %s to graphql-js', async (_case, source, operationName) => {
  const schema = schemaOf('type Query { other: Int }');
  const document = parse(source);
  const operation = getOperationAST(document, operationName) ?? undefined;
  expect(await createExecutor(schema)({ document, operation, variables: undefined, context: {} })).toBeUndefined();
});
