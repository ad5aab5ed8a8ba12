import { describe, expect, test } from '@jest/globals';
import {
  type BidirectionalPageArgs,
  compareNatural,
  type ListOrder,
  type PageRequest,
  pageRequestOf,
  paginate,
} from '../../../src/graphql/connections.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../src/lib/operation-budget.ts';
import { readSeed as newSeed, random } from '../../support/random-tests.ts';

const order: ListOrder<string> = {
  name: 'TEXT',
  positionOf: (item) => [item],
  compare: compareNatural,
  isAfter:
    ([position = '']) =>
    (item) =>
      compareNatural(item, position) > 0,
};
const page = (items: readonly string[], args: object) => paginate({ items }, order, args, (item) => item);
const items = ['10', '2', '1', 'b', 'a', '33'];

describe('paginate', () => {
  test('paginate returns the first items in order with cursors and page info', async () => {
    const { nodes, edges, pageInfo, totalCount } = await page(items, { first: 3 });
    expect([nodes, totalCount]).toEqual([['1', '2', '10'], 6]);
    expect(edges.map(({ node }) => node)).toEqual(nodes);
    expect(pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: edges[0]!.cursor,
      endCursor: edges[2]!.cursor,
    });
  });

  test.each([0, 1, 2, 4, 6, 500])('paginate with pages of %i items covers the list exactly once', async (first) => {
    const seen: (string | Error)[] = [];
    let after: string | null = null;
    for (let i = 0; i < 10; i++) {
      const { nodes, pageInfo } = await page(items, { first, after });
      seen.push(...nodes);
      expect(pageInfo.hasPreviousPage).toBe(seen.length - nodes.length > 0);
      if (!pageInfo.hasNextPage || first === 0) break;
      after = pageInfo.endCursor;
    }
    expect(seen).toEqual(first === 0 ? [] : ['1', '2', '10', '33', 'a', 'b']);
  });

  test('paginate returns a page of a long list without sorting all of it', async () => {
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
      const after = (await page(long, { first: 30 })).pageInfo.endCursor;
      const { nodes, totalCount } = await paginate({ items: list }, counting, { first: 50, after }, (item) => item);
      expect([seed, nodes, totalCount]).toEqual([seed, Array.from({ length: 50 }, (_none, i) => String(30 + i)), 10_000]);
      expect(compared).toBeLessThan(60_000);
    }
  });

  test('paginate returns 50 items by default, and no cursors for an empty page', async () => {
    const many = Array.from({ length: 60 }, (_none, i) => String(i));
    expect((await page(many, {})).nodes).toHaveLength(50);
    expect((await page(many, { first: null, after: null })).nodes).toHaveLength(50);
    expect((await page([], {})).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });

  test('paginate continues after a removed item and includes added items', async () => {
    const after = (await page(items, { first: 2 })).pageInfo.endCursor;
    expect((await page(['1', '10', '3', 'a'], { after })).nodes).toEqual(['3', '10', 'a']);
  });

  test.each([-1, 501, 2_147_483_647])('paginate rejects a page size of %i', async (first) => {
    await expect(page(items, { first })).rejects.toThrow('Invalid `first`. Pass a number from 0 to 500.');
  });

  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    ['a cursor of another order', cursor(['OTHER', '1'])],
    ['an empty text', ''],
    ['an object', cursor({ a: 1 })],
    ['null', cursor(null)],
    ['a list with a number', cursor(['TEXT', 1])],
    ['a word', 'yesterday'],
  ])('paginate rejects an invalid cursor: %s', async (_case, after) => {
    await expect(page(items, { after })).rejects.toThrow(
      'Invalid `after`. Pass a cursor from `pageInfo` or `edges` of a list in the same order.',
    );
  });
});

test('paginate counts and returns only the items that match', async () => {
  const { nodes, totalCount } = await paginate({ items, matches: (item) => item.length === 2 }, order, {}, (item) => item);
  expect([nodes, totalCount]).toEqual([['10', '33'], 2]);
});

test('paginate rejects with RESULT_TOO_LARGE when the scan of a long list uses up MAX_EVENT_LOOP_MS', async () => {
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_EVENT_LOOP_MS: 0 });
  const endless = Array.from({ length: 10_000_000 }, () => '1');
  await expect(paginate({ items: endless, budget }, order, {}, (item) => item)).rejects.toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', setting: 'MAX_EVENT_LOOP_MS', limit: 0 },
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

const LIMIT = { maxSize: 100, setting: 'MAX_LOGS' };

test.each<[string, BidirectionalPageArgs, Partial<PageRequest>]>([
  ['no argument is a forward page of 50', {}, { size: 50, isBackward: false, after: undefined, before: undefined }],
  ['`first` is a forward page', { first: 7, after: 'a' }, { size: 7, isBackward: false, after: 'a' }],
  ['`last` is a backward page', { last: 7, before: 'b' }, { size: 7, isBackward: true, before: 'b' }],
  ['`last` overrides the default of `first`', { first: 50, last: 7 }, { size: 7, isBackward: true }],
  ['a page of the maximum size is accepted', { last: 100 }, { size: 100 }],
])('page arguments: %s', (_case, args, expected) => {
  expect(pageRequestOf(args, LIMIT)).toMatchObject(expected);
});

test.each([
  ['first', -1],
  ['first', 101],
  ['last', -1],
  ['last', 101],
])('page arguments reject %s: %i', (name, actual) => {
  const message = `Invalid \`${name}\`. Pass a number from 0 to 100 (MAX_LOGS).`;
  expect(() => pageRequestOf({ [name]: actual }, LIMIT)).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      message,
      extensions: expect.objectContaining({ limit: 100, actual, setting: 'MAX_LOGS' }),
    }),
  );
});
