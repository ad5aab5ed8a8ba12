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
const said = (errors: readonly { path?: readonly (string | number)[] | undefined; message: string }[]) =>
  errors.map(({ path, message }) => `${path?.join('.')}: ${message}`);

const NULL_NAME = 'Cannot return null for non-nullable field';
const NO_LIST = 'Expected Iterable, but did not find one for field "Query.it".';

describe('an error of a field that is', () => {
  test.each<[string, string, () => unknown, string, string[]]>([
    ['thrown', 'Int', fail('x'), 'null', ['it: x']],
    ['rejected', 'Int', () => Promise.reject(new Error('x')), 'null', ['it: x']],
    ['rejected later', 'Int', () => rejectLater(new Error('x')), 'null', ['it: x']],
    ['thrown by what should be a promise', 'Int', () => thenable(fail('x')), 'null', ['it: x']],
    ['given for a value', 'Int', () => new Error('x'), 'null', ['it: x']],
    ['given for a list', '[Int]', () => new Error('x'), 'null', ['it: x']],
    ['given for an object', 'Thing', () => new TypeError('x'), 'null', ['it: x']],
    ['given for a value that may not be null', 'Int!', () => new Error('x'), '', ['it: x']],
    ['promised for a value', 'Int', async () => new Error('x'), 'null', ['it: x']],
    ['an item', '[Int]', () => [1, new Error('x'), 2], '[1,null,2]', ['it.1: x']],
    ['a promised item', '[Int]', () => [resolveLater(new Error('x')), 1], '[null,1]', ['it.0: x']],
    ['an item that is rejected', '[Int]', () => [1, rejectLater(new Error('x')), 2], '[1,null,2]', ['it.1: x']],
    ['an item that may not be null', '[Int!]', () => [1, new Error('x')], 'null', ['it.1: x']],
    ['an item of an item', '[[Int]]', () => [[1], [1, new Error('x')]], '[[1],[1,null]]', ['it.1.1: x']],
    [
      'an item of an item that may not be null',
      '[[Int!]]',
      () => [[1], [resolveLater(1), rejectLater(new Error('x'))]],
      '[[1],null]',
      ['it.1.1: x'],
    ],
    ['an item of an item of which none may be null', '[[Int!]!]', () => [[1], [new Error('x')]], 'null', ['it.1.0: x']],
    ['text that is thrown', 'Int', thrown('x'), 'null', ['it: Unexpected error value: "x"']],
    ['nothing that is thrown', 'Int', thrown(undefined), 'null', ['it: Unexpected error value: undefined']],
    ['null that is thrown', 'Int', thrown(null), 'null', ['it: Unexpected error value: null']],
    ['an object that is thrown', 'Int', thrown({ a: 1 }), 'null', ['it: Unexpected error value: { a: 1 }']],
    ['nothing that is rejected', 'Int', () => Promise.reject(), 'null', ['it: Unexpected error value: undefined']],
    ['text that is rejected', '[Int]', () => [Promise.reject('x')], '[null]', ['it.0: Unexpected error value: "x"']],
    ['no number', 'Int', () => 'x', 'null', ['it: Int cannot represent non-integer value: "x"']],
    [
      'a number that is too large',
      '[Int]',
      () => [2 ** 31],
      '[null]',
      ['it.0: Int cannot represent non 32-bit signed integer value: 2147483648'],
    ],
    ['a number that is none', 'Float!', () => Number.NaN, '', ['it: Float cannot represent non numeric value: NaN']],
    ['an object for text', 'String', () => ({}), 'null', ['it: String cannot represent value: {}']],
    ['a value that an enum does not have', '[Color!]', () => [1, 2], 'null', ['it.1: Enum "Color" cannot represent value: 2']],
    ['text for a list', '[String]', () => 'text', 'null', [`it: ${NO_LIST}`]],
    ['a number for a list', '[Int]', () => 1, 'null', [`it: ${NO_LIST}`]],
    ['an object for a list', '[Int]', () => ({ length: 0 }), 'null', [`it: ${NO_LIST}`]],
    ['an object that iterates over nothing for a list', '[Int]', () => ({ [Symbol.iterator]: null }), 'null', [`it: ${NO_LIST}`]],
    ['a function for a list', '[Int]', () => resolveLater(() => []), 'null', [`it: ${NO_LIST}`]],
    ['an item for a list', '[[Int]]', () => [[1], 2], '[[1],null]', [`it.1: ${NO_LIST}`]],
    ['null for a value that may not be null', 'Int!', () => null, '', [`it: ${NULL_NAME} Query.it.`]],
    ['undefined for a value that may not be null', 'Thing!', () => undefined, '', [`it: ${NULL_NAME} Query.it.`]],
    ['a promise of null for a value that may not be null', 'Int!', () => resolveLater(null), '', [`it: ${NULL_NAME} Query.it.`]],
    ['null for an item that may not be null', '[Int!]', () => [1, null], 'null', [`it.1: ${NULL_NAME} Query.it.`]],
    [
      'a promise of null for an item that may not be null',
      '[[Int!]]',
      () => [[1], [resolveLater(undefined)]],
      '[[1],null]',
      [`it.1.0: ${NULL_NAME} Query.it.`],
    ],
    [
      'a list that ends with an error',
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
  ])('%s', async (_case, type, resolve, expected, messages) => {
    const { text, errors } = await executeWithBoth(
      schemaOfField(type, resolve),
      `{ other it ${type.includes('Thing') ? '{ name }' : ''} }`,
    );
    expect(text).toBe(expected === '' ? 'null' : `{"other":1,"it":${expected}}`);
    expect(said(errors)).toEqual(messages);
  });

  /** graphql-js asks more of whatever has a `then` than JavaScript does: that it gives a promise in turn, and brings no other. */
  test.each<[string, () => unknown, string]>([
    ['rejected', () => thenable((_resolve, reject) => reject(new Error('x'))), 'x'],
    ['rejected by what it brings', () => thenable((resolve) => resolve(rejectLater(new Error('x')))), 'x'],
  ])('%s by whatever has a then', async (_case, resolve, message) => {
    const schema = schemaOfField('[Int]', () => [resolve(), 1]);
    const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
    expect(text).toBe('{"it":[null,1]}');
    expect(said(errors)).toEqual([`it.0: ${message}`]);
  });

  test('several errors beside one another are each told', async () => {
    const { text, errors } = await executeWithBoth(
      schemaOfField('[Int]', () => [new Error('a'), 1, rejectLater(new Error('b'))]),
      '{ it again: it }',
    );
    expect(text).toBe('{"it":[null,1,null],"again":[null,1,null]}');
    expect(said(errors)).toEqual(['again.0: a', 'it.0: a', 'again.2: b', 'it.2: b']);
  });

  test('a property that fails when it is read', async () => {
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
    expect(said(errors)).toEqual(['it.name: x']);
  });

  test("an error of GraphQL's own keeps what it says of itself", async () => {
    const schema = schemaOfField('Int', thrown(new GraphQLError('x', { extensions: { code: 'Y' } })));
    const { errors } = await executeWithBoth(schema, '{ it }');
    expect(said(errors)).toEqual(['it: x']);
  });
});

describe('where null may not be, it goes up', () => {
  const name = { sure: 1, name: 'x' };

  test.each<[string, string, unknown, string, string, string]>([
    ['to the object', 'Thing', { sure: null }, '{ sure name }', '{"it":null,"other":1}', 'it.sure'],
    [
      'to the object, which comes late',
      'Thing',
      resolveLater({ sure: resolveLater(null) }),
      '{ name sure }',
      '{"it":null,"other":1}',
      'it.sure',
    ],
    [
      'to the object below',
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
      'to the list, when it comes late',
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
      'to a list below',
      'Thing',
      { some: [{ its: { sure: resolveLater(null) } }], sure: 2 },
      '{ some { its { sure } } sure }',
      '{"it":{"some":null,"sure":2},"other":1}',
      'it.some.0.its.sure',
    ],
    ['to the top', 'Thing!', { its: { sure: null } }, '{ its { sure } }', 'null', 'it.its.sure'],
    [
      'to the top through lists',
      '[[Thing!]!]!',
      [[name], [resolveLater({ sure: resolveLater(null) })]],
      '{ sure }',
      'null',
      'it.1.0.sure',
    ],
    ['to the top, when an object is missing', 'Thing!', { its: undefined }, '{ its { sure } }', 'null', 'it.its'],
  ])('%s', async (_case, type, value, below, expected, path) => {
    const { text, errors } = await executeWithBoth(
      schemaOfField(type, () => value),
      `{ it ${below} other }`,
    );
    expect(text).toBe(expected);
    expect(errors.map((error) => error.path?.join('.'))).toEqual([path]);
  });

  test('and no further than to the place of the operation that may be null', async () => {
    const { text, errors } = await executeWithBoth(
      schemaOfField('Int!', () => null),
      '{ other self { other it } others { other it } }',
    );
    expect(text).toBe('{"other":1,"self":null,"others":null}');
    // graphql-js, which ends a list at the first item that fails, tells of no other.
    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['others.0.it', 'self.it']);
  });
});

test('an error says where all the fields stand that were merged', async () => {
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
  ['an operation that nobody has defined', 'query A { other } query B { other }', 'C'],
  ['one of several that is not named', 'query A { other } query B { other }', undefined],
  ['a kind of operation that the schema does not have', 'subscription { other }', undefined],
  ['a variable that is missing', 'query ($n: Int!) { other @skip(if: false) }', undefined],
])('%s is left to graphql-js', async (_case, source, operationName) => {
  const schema = schemaOf('type Query { other: Int }');
  const document = parse(source);
  const operation = getOperationAST(document, operationName) ?? undefined;
  expect(await createExecutor(schema)({ document, operation, variables: undefined, context: {} })).toBeUndefined();
});
