import { describe, expect, test } from '@jest/globals';
import {
  executeWithBoth,
  executeWithGrimoire,
  parseValid,
  resolveLater,
  schemaOfField,
  thenable,
} from '../../../support/executor/differential-execution.ts';

const sourceFor = (type: string, below: string): string => `{ it ${type.includes('Thing') ? below : ''} }`;

const executeField = async (type: string, resolve: () => unknown, below = '{ name }') => {
  const { text, errors } = await executeWithBoth(schemaOfField(type, resolve), sourceFor(type, below));
  expect(errors).toEqual([]);
  return text;
};

class Person {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  one(): Person {
    return new Person(`${this.#name}'s`);
  }
}

describe('fields are read from the properties of an object', () => {
  test.each<[string, string, unknown, string]>([
    ['that is plain', 'Thing', { name: 'x', more: 1 }, '{"name":"x"}'],
    ['without properties', 'Thing', {}, '{"name":null}'],
    ['without a prototype', 'Thing', Object.assign(Object.create(null), { name: 'x' }), '{"name":"x"}'],
    ['that is a class instance', 'Thing', new Person('x'), '{"name":"x"}'],
    ['that is a function', 'Thing', Object.assign(() => 0, { one: 1 }), '{"name":""}'],
    ['that is a function with methods', 'Thing', Object.defineProperty(() => 0, 'name', { value: () => 'x' }), '{"name":"x"}'],
    ['that is a string', 'Thing', 'text', '{"name":null}'],
    ['that is a number', 'Thing', 0, '{"name":null}'],
    ['in a list', '[Thing]', [{ name: 'x' }, null, { name: null }], '[{"name":"x"},null,{"name":null}]'],
    ['whose properties are promises', 'Thing', { name: resolveLater('x') }, '{"name":"x"}'],
    ['whose properties are thenables', 'Thing', { name: thenable((resolve) => resolve('x')) }, '{"name":"x"}'],
    ['whose properties are functions', 'Thing', { name: () => 'x' }, '{"name":"x"}'],
    ['whose properties are async functions', 'Thing', { name: async () => 'x' }, '{"name":"x"}'],
  ])('executor reads fields from an object %s', async (_case, type, value, expected) => {
    expect(await executeField(type, () => value)).toBe(`{"it":${expected}}`);
  });

  test('executor calls a method of an object with arguments, context and info', async () => {
    const name = function (this: { own: string }, args: unknown, context: unknown, info: { fieldName: string }) {
      return JSON.stringify([this.own, args, context, info.fieldName]);
    };
    const source = '{ it { name a: name(of: "me") b: name(of: null) } }';
    const { text } = await executeWithBoth(
      schemaOfField('Thing', () => ({ own: 'o', name })),
      source,
      { context: () => 'c' },
    );
    expect(Object.values(JSON.parse(text).it).map((one) => JSON.parse(one as string))).toEqual([
      ['o', { of: 'none' }, 'c', 'name'],
      ['o', { of: 'me' }, 'c', 'name'],
      ['o', { of: null }, 'c', 'name'],
    ]);
  });

  test('executor reads object fields at any depth, synchronously or asynchronously', async () => {
    const value = resolveLater(new Person('x'));
    expect(await executeField('Thing', () => value, '{ one { one { name } name } name }')).toBe(
      `{"it":{"one":{"one":{"name":"x's's"},"name":"x's"},"name":"x"}}`,
    );
  });
});

/** graphql-js leaves these values to the JSON serializer, which throws or drops them. */
test.each<[string, unknown]>([
  ['a bigint', 1n],
  ['a function', () => 0],
  ['a symbol', Symbol('s')],
  ['an object whose toJSON returns undefined', { toJSON: () => undefined }],
])('a scalar that is %s is an error of its field only', async (_case, value) => {
  const schema = schemaOfField('[Any]', () => [1, Promise.resolve(value), value, { toJSON: () => 2 }]);
  const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
  expect(text).toBe('{"it":[1,null,null,2]}');
  expect(errors.map(({ path }) => path)).toEqual([
    ['it', 1],
    ['it', 2],
  ]);
});
