import { describe, expect, test } from '@jest/globals';
import {
  executeWithBoth,
  executeWithGrimoire,
  parseValid,
  resolveLater,
  schemaOf,
} from '../../../support/executor/differential-execution.ts';

const TYPES = `
  type Query { one: Being, many: [Being!], any: Any, deep: [[Any]] }
  interface Being { name: String }
  type Cat implements Being { name: String, lives: Int }
  type Dog implements Being { name: String, bone: Being }
  type Ship { name: String }
  union Any = Cat | Ship
  enum Color { RED }
`;

const cat = { kind: 'Cat', name: 'Tom', lives: 9 };
const dog = { kind: 'Dog', name: 'Rex', bone: cat };

const values = { one: () => dog, many: () => [cat, dog], any: () => cat, deep: () => [[cat], null, [resolveLater(cat), null]] };

/** A schema whose abstract types resolve their types with one function. */
const schemaResolvingType = (resolveType: (value: typeof cat, context: unknown, info: any) => unknown) =>
  schemaOf(TYPES, {
    Query: values,
    Being: { __resolveType: resolveType as never },
    Any: { __resolveType: resolveType as never },
  });

describe('value without a type', () => {
  const none = (field: string, type: string) =>
    `Cannot determine the type of a value of Query.${field}: expected an object type of ${type}.`;

  /** The message differs from graphql-js, which includes the returned name and value. Path and location are equal. */
  test.each<[string, (value: typeof cat) => unknown]>([
    ['returns undefined', () => undefined],
    ['resolves with null', async () => null],
    ['returns a type that is not a possible type', () => 'Query'],
    ['resolves with a type that is not a possible type', async () => 'Query'],
    ['returns an unknown type', () => 'Tiger'],
    ['returns the name of an object property', () => 'constructor'],
    ['returns an enum', () => 'Color'],
    ['returns the abstract type', () => 'Being'],
    ['returns a list', () => ['Cat']],
    ['returns an object', () => ({ name: 'Cat' })],
    ['returns a type object', (_value) => schemaResolvingType(() => 'Cat').getType('Cat')],
  ])('value without a type is an error of its field when resolveType %s', async (_case, resolveType) => {
    const schema = schemaResolvingType(resolveType);
    const document = parseValid(schema, '{ one { name } any { ... on Cat { name } } many { name } }');
    const { text, errors } = await executeWithGrimoire(schema, document);
    expect(text).toBe('{"one":null,"any":null,"many":null}');
    expect(errors).toContainEqual({ message: none('one', 'Being'), path: ['one'], locations: '1:3' });
    expect(errors).toContainEqual({ message: none('any', 'Any'), path: ['any'], locations: '1:16' });
    expect(errors).toContainEqual({ message: none('many', 'Being'), path: ['many', 0], locations: '1:44' });
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
  ])('value without a type is an error of its field when resolveType %s', async (_case, resolveType) => {
    const { text, errors } = await executeWithBoth(schemaResolvingType(resolveType), '{ one { name } many { name } }');
    expect(text).toBe('{"one":null,"many":null}');
    expect(new Set(errors.map(({ message }) => message))).toEqual(new Set(['x']));
  });
});

test('an Error as value is reported without resolving its type', async () => {
  const schema = schemaOf(TYPES, { Query: { one: () => new Error('x'), many: () => [resolveLater(new Error('y'))] } });
  const { text, errors } = await executeWithBoth(schema, '{ one { name } many { name } }');
  expect(text).toBe('{"one":null,"many":null}');
  expect(errors.map(({ message }) => message)).toEqual(['x', 'y']);
});

test('resolveType receives the context and the info of the field, without an item index', async () => {
  const received: unknown[] = [];
  const schema = schemaResolvingType((value, context, { fieldName, path, parentType, returnType }) => {
    received.push([
      value.name,
      context,
      fieldName,
      [path.prev?.key, path.key, path.typename].join('.'),
      String(parentType),
      String(returnType),
    ]);
    return value.kind;
  });
  await executeWithBoth(schema, '{ bones: many { ... on Dog { bone { name } } } deep { __typename } }', { context: () => 'c' });
  const half = received.length / 2;
  expect(received.slice(0, half)).toEqual(received.slice(half));
  expect(received.slice(0, half)).toContainEqual(['Tom', 'c', 'bone', '1.bone.Dog', 'Dog', 'Being']);
  expect(received.slice(0, half)).toContainEqual(['Rex', 'c', 'many', '.bones.Query', 'Query', '[Being!]']);
  expect(received.slice(0, half)).toContainEqual(['Tom', 'c', 'deep', '.deep.Query', 'Query', '[[Any]]']);
});

test('isTypeOf is called only to resolve an abstract type', async () => {
  const schema = schemaOf('type Query { cat: Cat } type Cat { name: String }', {
    Query: { cat: () => cat },
    Cat: { __isTypeOf: () => false },
  });
  expect(await executeWithGrimoire(schema, parseValid(schema, '{ cat { name } }'))).toEqual({
    text: '{"cat":{"name":"Tom"}}',
    errors: [],
  });
});
