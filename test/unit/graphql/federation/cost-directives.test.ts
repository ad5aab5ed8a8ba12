import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import type { FieldWeights } from '../../../../src/graphql/cost/field-cost.ts';
import { addCostDirectives } from '../../../../src/graphql/federation/cost-directives.ts';

const priced = (sdl: string, weights: FieldWeights): string => print(addCostDirectives(parse(sdl), weights));

/** Compares documents, not their layout. */
const expectSdl = (sdl: string, weights: FieldWeights, expected: string) =>
  expect(priced(sdl, weights)).toBe(print(parse(expected)));

test('cost directives are 10 for a value and 1,000 for a call', () => {
  expectSdl(
    'type Query { free: Int call: Int long: String }',
    { 'Query.call': { calls: 1 }, 'Query.long': { chars: 514 } },
    'type Query { free: Int @cost(weight: 10) call: Int @cost(weight: 1010) long: String @cost(weight: 81) }',
  );
});

test('cost directives give a type the lowest weight of the fields that return it', () => {
  expectSdl(
    'type Query { a: T b: T! } type T { x: Int }',
    { 'Query.b': { calls: 2 } },
    'type Query { a: T b: T! @cost(weight: 2010) } type T @cost(weight: 10) { x: Int @cost(weight: 10) }',
  );
});

test('a wildcard weight applies to the fields without a weight of their own', () => {
  expectSdl(
    'type Query { a: Int b: Int }',
    { 'Query.*': { calls: 1 }, 'Query.b': {} },
    'type Query { a: Int @cost(weight: 1010) b: Int @cost(weight: 10) }',
  );
});

test('list sizes are the assumed length, or the slicing argument of a page', () => {
  const pages = { size: { assumed: 50, slicingArguments: ['first'], of: () => 50 }, sizedFields: ['nodes'] };
  expectSdl(
    'type Query { unknown: [Int] known: [Int!]! page(first: Int = 50): Page } type Page { nodes: [Int] }',
    { 'Query.known': { size: 3 }, 'Query.page': pages },
    `type Query {
      unknown: [Int] @cost(weight: 10) @listSize(assumedSize: 10)
      known: [Int!]! @cost(weight: 10) @listSize(assumedSize: 3)
      page(first: Int = 50): Page @listSize(slicingArguments: ["first"], requireOneSlicingArgument: false, sizedFields: ["nodes"])
    }
    type Page @cost(weight: 10) { nodes: [Int] @cost(weight: 10) @listSize(assumedSize: 10) }`,
  );
});

test('a call for a whole list is part of the weight of each item', () => {
  expectSdl(
    'type Query { list: [Int] }',
    { 'Query.list': { fixedCalls: 1, size: 4 } },
    'type Query { list: [Int] @cost(weight: 260) @listSize(assumedSize: 4) }',
  );
});

test('the cost of a search is on its argument, and the values of its filter have a cost wherever the filter is used', () => {
  const input = { argument: 'by', fields: ['ids'], perValue: 0.03, count: () => 0 };
  expectSdl(
    'type Query { search(by: By!): [Int] other(by: By): Int } input By { ids: [ID] name: String }',
    { 'Query.search': { fixedCalls: 20, size: 5, input } },
    `type Query {
      search(by: By! @cost(weight: 20000)): [Int] @cost(weight: 10) @listSize(assumedSize: 5)
      other(by: By @cost(weight: 0)): Int @cost(weight: 10)
    }
    input By { ids: [ID] @cost(weight: 30) name: String }`,
  );
});

test('calls that the objects of a block share cost a part of the call, and single objects all of them', () => {
  expectSdl(
    'type Query { list: [T] single: T } type T { known: Int read: Int both: Int }',
    { 'Query.list': { size: 200 }, 'T.read': { needs: 'fullTransactions' }, 'T.both': { needs: 'receipts' } },
    `type Query { list: [T] @listSize(assumedSize: 200) single: T @cost(weight: 2010) }
    type T @cost(weight: 10) { known: Int @cost(weight: 10) read: Int @cost(weight: 110) both: Int @cost(weight: 110) }`,
  );
});

test('interfaces, inaccessible fields and scalars have no cost', () => {
  const sdl = 'type Query { t: Int } interface I { x: Int } type T implements I { x: Int key: String @inaccessible } scalar S';
  expect(priced(sdl, {})).toBe(
    print(parse(sdl.replace('t: Int', 't: Int @cost(weight: 10)').replace('I { x: Int key', 'I { x: Int @cost(weight: 10) key'))),
  );
});

test('calls that an argument causes are the cost of the argument', () => {
  expectSdl(
    'type Query { block(time: Int, number: Int): Int }',
    { 'Query.block': { calls: 1, argumentCalls: { argument: 'time', calls: 25 } } },
    'type Query { block(time: Int @cost(weight: 25000), number: Int): Int @cost(weight: 1010) }',
  );
});

test('a page of objects that share the calls of a block costs both calls', () => {
  const page = { size: { assumed: 50, slicingArguments: ['first'], of: () => 50 }, sizedFields: ['nodes'] };
  expectSdl(
    'type Query { page(first: Int = 50): Page } type Page { nodes: [T] } type T { a: Int b: Int }',
    { 'Query.page': page, 'T.a': { needs: 'fullTransactions' }, 'T.b': { needs: 'receipts' } },
    `type Query {
      page(first: Int = 50): Page @listSize(slicingArguments: ["first"], requireOneSlicingArgument: false, sizedFields: ["nodes"])
    }
    type Page @cost(weight: 40010) { nodes: [T] @listSize(assumedSize: 10) }
    type T @cost(weight: 10) { a: Int @cost(weight: 110) b: Int @cost(weight: 110) }`,
  );
});
