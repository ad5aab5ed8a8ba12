import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLResolveInfo, graphql } from 'graphql';
import { type Selection, selectionOf } from '../../../src/graphql/selection.ts';

const schema = buildSchema(`
  type Query { block(number: Int): Block, blocks: [Block!]! }
  type Block { hash: String, number: Int, parent: Block, at(index: Int): Transaction }
  type Transaction { hash: String, value: Int }
`);

/** The selection below `block`, as its resolver receives it. */
async function selectionFor(source: string, variableValues: Record<string, unknown> = {}): Promise<Selection> {
  const seen: Selection[] = [];
  const block = (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => void seen.push(selectionOf(info));
  const { errors } = await graphql({ schema, source, variableValues, rootValue: { block } });
  expect(errors).toBeUndefined();
  return seen[0]!;
}

const NAMES = ['__typename', 'hash', 'number', 'parent', 'at'];
const names = (selection: Selection) => NAMES.filter((name) => selection.has(name));

describe('selectionOf', () => {
  test.each<[string, string, string[]]>([
    ['includes an aliased field under its own name', '{ block { parent: hash } }', ['hash']],
    [
      'includes fields of a fragment in a fragment',
      '{ block { ...F } } fragment F on Block { ...G } fragment G on Block { hash }',
      ['hash'],
    ],
    ['includes fields of an inline fragment', '{ block { ... on Block { hash } number } }', ['hash', 'number']],
    ['merges all nodes of one response key', '{ block { hash } block { number } }', ['hash', 'number']],
    ['includes __typename', '{ block { __typename } }', ['__typename']],
    ['includes a field with @skip(if: false)', '{ block { hash @skip(if: false) } }', ['hash']],
    ['excludes a field with @include(if: false)', '{ block { hash @include(if: false) number } }', ['number']],
    ['excludes a skipped fragment', '{ block { number ...F @skip(if: true) } } fragment F on Block { hash }', ['number']],
    [
      'includes a fragment that only one spread skips',
      '{ block { ...F @skip(if: true) ...F } } fragment F on Block { hash }',
      ['hash'],
    ],
    ['excludes an inline fragment with @include(if: false)', '{ block { number ... @include(if: false) { hash } } }', ['number']],
  ])('selectionOf %s', async (_case, source, expected) => {
    expect(names(await selectionFor(source))).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['includes a field by a variable', { with: true }, ['hash', 'number']],
    ['excludes a field by a variable', { with: false }, ['number']],
    ['uses the default of a variable', {}, ['number']],
  ])('selectionOf %s', async (_case, variables, expected) => {
    const source = 'query ($with: Boolean! = false) { block { hash @include(if: $with) number } }';
    expect(names(await selectionFor(source, variables))).toEqual(expected);
  });
});

describe('Selection.subselection', () => {
  test('Selection.subselection merges all aliases of the field', async () => {
    const selection = await selectionFor('{ block { a: parent { hash } b: parent { number } } }');
    expect(names(selection.subselection('parent'))).toEqual(['hash', 'number']);
  });

  test('Selection.subselection is empty when the field is not selected', async () => {
    expect(names((await selectionFor('{ block { hash } }')).subselection('parent'))).toEqual([]);
  });
});

test('Selection.nodes returns all nodes of a field with their arguments', async () => {
  const selection = await selectionFor(
    '{ block { a: at(index: 1) { hash } b: at(index: 2) { hash } at(index: 3) @skip(if: true) { hash } } }',
  );
  expect(selection.nodes('at').map(({ alias }) => alias?.value)).toEqual(['a', 'b']);
  expect(selection.nodes('parent')).toEqual([]);
});

test('Selection expands a repeated fragment once, so that nested spreads are not exponential', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `fragment F${i} on Block { ...F${i + 1} ...F${i + 1} }`);
  const selection = await selectionFor(`{ block { ...F0 ...F0 } } ${levels.join(' ')} fragment F12 on Block { hash }`);
  expect(selection.nodes('hash').length).toBe(1);
});

test.each<[string, string, boolean]>([
  ['fewer fields', '{ block { hash } }', true],
  ['another field', '{ block { hash parent { hash } } }', false],
  ['the type name, which needs no request', '{ block { __typename hash } }', true],
  ['another field that is skipped', '{ block { hash parent @skip(if: true) { hash } } }', true],
])('Selection.hasOnly compares with hash and number: %s', async (_case, source, within) => {
  expect((await selectionFor(source)).hasOnly(new Set(['hash', 'number']))).toBe(within);
});

test.each<[string, string, boolean]>([
  ['one of them', '{ block { hash parent { hash } } }', true],
  ['none of them', '{ block { hash } }', false],
  ['the type name alone', '{ block { __typename } }', false],
])('Selection.hasAny compares with number and parent: %s', async (_case, source, has) => {
  expect((await selectionFor(source)).hasAny(new Set(['number', 'parent']))).toBe(has);
});

test('selectionOf returns one object for all items of a list', async () => {
  const seen: Selection[] = [];
  const parent = (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => void seen.push(selectionOf(info));
  await graphql({
    schema,
    source: '{ blocks { parent { hash } } }',
    rootValue: { blocks: [{ parent }, { parent }, { parent }] },
  });
  expect([seen.length, new Set(seen).size]).toEqual([3, 1]);
});
