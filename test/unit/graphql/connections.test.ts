import { describe, expect, test } from '@jest/globals';
import { compareNatural, type ListOrder, paginate, type RelayConnection } from '../../../src/graphql/connections.ts';
import { readSeed as newSeed, random } from '../../support/random-tests.ts';

const order: ListOrder<string> = { name: 'TEXT', positionOf: (item) => [item], compare: ([a], [b]) => compareNatural(a, b) };
const page = (items: readonly string[], args: object) => paginate(items, order, args, (item) => item) as RelayConnection<string>;
const items = ['10', '2', '1', 'b', 'a', '33'];

describe('paginate', () => {
  test('paginate returns the first items in order with cursors and page info', () => {
    const { nodes, edges, pageInfo, totalCount } = page(items, { first: 3 });
    expect([nodes, totalCount]).toEqual([['1', '2', '10'], 6]);
    expect(edges.map(({ node }) => node)).toEqual(nodes);
    expect(pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: edges[0]!.cursor,
      endCursor: edges[2]!.cursor,
    });
  });

  test.each([0, 1, 2, 4, 6, 500])('paginate with pages of %i items covers the list exactly once', (first) => {
    const seen: (string | Error)[] = [];
    let after: string | null = null;
    for (let i = 0; i < 10; i++) {
      const { nodes, pageInfo } = page(items, { first, after });
      seen.push(...nodes);
      expect(pageInfo.hasPreviousPage).toBe(seen.length - nodes.length > 0);
      if (!pageInfo.hasNextPage || first === 0) break;
      after = pageInfo.endCursor;
    }
    expect(seen).toEqual(first === 0 ? [] : ['1', '2', '10', '33', 'a', 'b']);
  });

  test('paginate returns a page of a long list without sorting all of it', () => {
    const seed = newSeed();
    const draw = random(seed);
    const shuffled = Array.from({ length: 10_000 }, (_none, i) => ({ i, at: draw() })).toSorted((a, b) => a.at - b.at);
    let compared = 0;
    const counting: ListOrder<string> = {
      ...order,
      compare: (a, b) => {
        compared += 1;
        return order.compare(a, b);
      },
    };
    const long = shuffled.map(({ i }) => String(i));
    for (const list of [long, long.toSorted(compareNatural), long.toSorted(compareNatural).toReversed()]) {
      compared = 0;
      const after = page(long, { first: 30 }).pageInfo.endCursor;
      const { nodes, totalCount } = paginate(list, counting, { first: 50, after }, (item) => item);
      expect([seed, nodes, totalCount]).toEqual([seed, Array.from({ length: 50 }, (_none, i) => String(30 + i)), 10_000]);
      expect(compared).toBeLessThan(60_000);
    }
  });

  test('paginate returns 50 items by default, and no cursors for an empty page', () => {
    const many = Array.from({ length: 60 }, (_none, i) => String(i));
    expect(page(many, {}).nodes).toHaveLength(50);
    expect(page(many, { first: null, after: null }).nodes).toHaveLength(50);
    expect(page([], {}).pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null });
  });

  test('paginate continues after a removed item and includes added items', () => {
    const after = page(items, { first: 2 }).pageInfo.endCursor;
    expect(page(['1', '10', '3', 'a'], { after }).nodes).toEqual(['3', '10', 'a']);
  });

  test.each([-1, 501, 2_147_483_647])('paginate rejects a page size of %i', (first) => {
    expect(() => page(items, { first })).toThrow('Invalid `first`. Pass a number from 0 to 500.');
  });

  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    ['a cursor of another order', cursor(['OTHER', '1'])],
    ['an empty text', ''],
    ['an object', cursor({ a: 1 })],
    ['null', cursor(null)],
    ['a list with a number', cursor(['TEXT', 1])],
    ['a word', 'yesterday'],
  ])('paginate rejects an invalid cursor: %s', (_case, after) => {
    expect(() => page(items, { after })).toThrow(
      'Invalid `after`. Pass a cursor from `pageInfo` or `edges` of a list in the same order.',
    );
  });

  test('paginate returns a page after any forged position', () => {
    expect(page(items, { after: cursor(['TEXT']) }).nodes).toEqual(['a', 'b']);
    expect(page(items, { after: cursor(['TEXT', '9'.repeat(10_000), 'x']) }).nodes).toEqual(['a', 'b']);
  });
});

test('compareNatural orders numbers before other strings', () => {
  const seed = newSeed();
  const draw = random(seed);
  const numbers = Array.from({ length: 500 }, () => BigInt(Math.floor(draw() * 1e6)) ** BigInt(Math.floor(draw() * 5)));
  const sorted = [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const texts = ['a', '007', '-1', '', '1.5'];
  expect([seed, [...numbers.map(String), ...texts].sort(compareNatural)]).toEqual([
    seed,
    [...sorted.map(String), ...texts.sort()],
  ]);
});
