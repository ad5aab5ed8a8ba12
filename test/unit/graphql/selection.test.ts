import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLResolveInfo, graphql } from 'graphql';
import { type Selection, selectionOf } from '../../../src/graphql/selection.ts';

const schema = buildSchema(`
  type Query { block(number: Int): Block, blocks: [Block!]! }
  type Block { hash: String, number: Int, parent: Block, at(index: Int): Transaction }
  type Transaction { hash: String, value: Int }
`);

/** What is asked of \`block\`, as its resolver sees it. */
async function selectionFor(source: string, variableValues: Record<string, unknown> = {}): Promise<Selection> {
  const seen: Selection[] = [];
  const block = (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => void seen.push(selectionOf(info));
  const { errors } = await graphql({ schema, source, variableValues, rootValue: { block } });
  expect(errors).toBeUndefined();
  return seen[0]!;
}

const NAMES = ['__typename', 'hash', 'number', 'parent', 'at'];
const names = (selection: Selection) => NAMES.filter((name) => selection.has(name));

describe('the selection has', () => {
  test.each<[string, string, string[]]>([
    ['plain fields', '{ block { hash number } }', ['hash', 'number']],
    ['fields behind an alias, by their own name', '{ block { parent: hash } }', ['hash']],
    ['fields of a fragment', '{ block { ...F } } fragment F on Block { hash }', ['hash']],
    [
      'fields of a fragment in a fragment',
      '{ block { ...F } } fragment F on Block { ...G } fragment G on Block { hash }',
      ['hash'],
    ],
    ['fields of an inline fragment', '{ block { ... on Block { hash } number } }', ['hash', 'number']],
    ['fields of an inline fragment without a type', '{ block { ... { hash } } }', ['hash']],
    ['fields of all places where the answer is one', '{ block { hash } block { number } }', ['hash', 'number']],
    ['the type name', '{ block { __typename } }', ['__typename']],
    ['no skipped field', '{ block { hash @skip(if: true) number } }', ['number']],
    ['a field that is not skipped', '{ block { hash @skip(if: false) } }', ['hash']],
    ['no field that is not included', '{ block { hash @include(if: false) number } }', ['number']],
    ['an included field', '{ block { hash @include(if: true) } }', ['hash']],
    ['no field both included and skipped', '{ block { hash @include(if: true) @skip(if: true) number } }', ['number']],
    ['no skipped fragment', '{ block { number ...F @skip(if: true) } } fragment F on Block { hash }', ['number']],
    [
      'a fragment that is skipped in one place only',
      '{ block { ...F @skip(if: true) ...F } } fragment F on Block { hash }',
      ['hash'],
    ],
    ['no inline fragment that is not included', '{ block { number ... @include(if: false) { hash } } }', ['number']],
  ])('%s', async (_case, source, expected) => {
    expect(names(await selectionFor(source))).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a field that a variable includes', { with: true }, ['hash', 'number']],
    ['no field that a variable leaves out', { with: false }, ['number']],
    ["what a variable's default says", {}, ['number']],
  ])('%s', async (_case, variables, expected) => {
    const source = 'query ($with: Boolean! = false) { block { hash @include(if: $with) number } }';
    expect(names(await selectionFor(source, variables))).toEqual(expected);
  });

  test('other fields for other variables of the same document', async () => {
    const source = 'query ($without: Boolean!) { block { hash @skip(if: $without) number } }';
    expect(names(await selectionFor(source, { without: true }))).toEqual(['number']);
    expect(names(await selectionFor(source, { without: false }))).toEqual(['hash', 'number']);
  });
});

describe('below a field', () => {
  test('all its aliases are asked together', async () => {
    const selection = await selectionFor('{ block { a: parent { hash } b: parent { number } } }');
    expect(names(selection.subselection('parent'))).toEqual(['hash', 'number']);
  });

  test('its fields and those of a fragment are asked together', async () => {
    const selection = await selectionFor('{ block { parent { hash } ...F } } fragment F on Block { parent { number } }');
    expect(names(selection.subselection('parent'))).toEqual(['hash', 'number']);
  });

  test('nothing is asked when the field is not', async () => {
    expect(names((await selectionFor('{ block { hash } }')).subselection('parent'))).toEqual([]);
  });

  test('variables hold at any depth', async () => {
    const selection = await selectionFor('query ($no: Boolean!) { block { parent { parent { hash @skip(if: $no) number } } } }', {
      no: true,
    });
    expect(names(selection.subselection('parent').subselection('parent'))).toEqual(['number']);
  });
});

test('every place where a field is asked is there for its arguments', async () => {
  const selection = await selectionFor(
    '{ block { a: at(index: 1) { hash } b: at(index: 2) { hash } at(index: 3) @skip(if: true) { hash } } }',
  );
  expect(selection.nodes('at').map(({ alias }) => alias?.value)).toEqual(['a', 'b']);
  expect(selection.nodes('parent')).toEqual([]);
});

test('a fragment that is spread twice is opened once, so that nested spreads do not double the work at each level', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `fragment F${i} on Block { ...F${i + 1} ...F${i + 1} }`);
  const selection = await selectionFor(`{ block { ...F0 ...F0 } } ${levels.join(' ')} fragment F12 on Block { hash }`);
  expect(selection.nodes('hash').length).toBe(1);
});

test('a fragment in several places of one field is opened once', async () => {
  const selection = await selectionFor('{ block { a: parent { ...F } b: parent { ...F } } } fragment F on Block { hash }');
  expect(selection.subselection('parent').nodes('hash').length).toBe(1);
});

test.each<[string, string, boolean]>([
  ['fewer fields', '{ block { hash } }', true],
  ['all of the fields', '{ block { hash number } }', true],
  ['another field', '{ block { hash parent { hash } } }', false],
  ['the type name, which no node is asked for', '{ block { __typename hash } }', true],
  ['the type name behind an alias', '{ block { kind: __typename } }', true],
  ['another field in a fragment', '{ block { ... { parent { hash } } } }', false],
  ['another field that is skipped', '{ block { hash parent @skip(if: true) { hash } } }', true],
])('a selection of %s is within hash and number or not', async (_case, source, within) => {
  expect((await selectionFor(source)).hasOnly(new Set(['hash', 'number']))).toBe(within);
});

test.each<[string, string, boolean]>([
  ['one of them', '{ block { hash parent { hash } } }', true],
  ['none of them', '{ block { hash } }', false],
  ['the type name alone', '{ block { __typename } }', false],
])('a selection of %s has any of number and parent or not', async (_case, source, has) => {
  expect((await selectionFor(source)).hasAny(new Set(['number', 'parent']))).toBe(has);
});

test('all items of one list share one selection', async () => {
  const seen: Selection[] = [];
  const parent = (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => void seen.push(selectionOf(info));
  await graphql({
    schema,
    source: '{ blocks { parent { hash } } }',
    rootValue: { blocks: [{ parent }, { parent }, { parent }] },
  });
  expect([seen.length, new Set(seen).size]).toEqual([3, 1]);
});
