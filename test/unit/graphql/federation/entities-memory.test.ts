import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { GraphQLResolveInfo } from 'graphql';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import { subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { selectionOf } from '../../../../src/graphql/selection.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../src/lib/operation-budget.ts';
import { OperationPreparer } from '../../../../src/operation/prepare.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';
import { createDomainFixture } from '../../../support/graph/domain-fixtures.ts';

/** The selections of the operations, as long as something retains them. */
const selections: WeakRef<object>[] = [];

const library = createDomainFixture('library', 'type Query { n: Int } type Author @key(fields: "id") { id: Int! name: String }', {
  Query: { n: () => 1 },
  Author: {
    __resolveReference: ({ id }: { id: number }, _context: unknown, info: GraphQLResolveInfo) => {
      selections.push(new WeakRef(selectionOf(info)));
      return { id, name: 'x' };
    },
  },
});
const schema = subgraphSchema([library]);
const sizes = { MAX_TOKENS: 1_000, MAX_DEPTH: 9, MAX_ALIASES: 9, MAX_DIRECTIVES: 9, MAX_ROOT_FIELDS: 9, MAX_FRAGMENTS: 9 };
const limits = { ...NO_BUDGET_LIMITS, ...sizes, MAX_BLOCKS: 1, MAX_COST: 1e6, INTROSPECTION: 'on' as const };
const options = { requestId: 'test', origin: { transport: 'http', receivedAt: 0, trace: undefined } } as const;

async function retainedAfter(query: string, variables?: Record<string, unknown>): Promise<number> {
  selections.length = 0;
  const preparer = new OperationPreparer({ schema, limits, weights: {} });
  const executor = createExecutor(schema);
  for (let i = 0; i < 200; i++) {
    const request = preparer.prepare({ query, variables }, options);
    const { errors } = await executor.execute({ ...request, context: {} });
    expect(errors).toBeUndefined();
  }
  for (let i = 0; i < 5; i++) {
    await nextTurn();
    collectGarbage();
  }
  return selections.filter((ref) => ref.deref() !== undefined).length;
}

test('operations with variables retain nothing after they have ended', async () => {
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Author { name } } }';
  expect(await retainedAfter(query, { r: [{ __typename: 'Author', id: 1 }] })).toBeLessThan(10);
});

test('operations without variables retain nothing after they have ended', async () => {
  const query = '{ _entities(representations: [{ __typename: "Author", id: 1 }]) { ... on Author { name } } }';
  expect(await retainedAfter(query)).toBeLessThan(10);
});

test('fields of `_entities` with a long list let other work run between them', async () => {
  const fields = Array.from({ length: 100 }, (_none, i) => `a${i}: _entities(representations: $r) { __typename }`).join(' ');
  const variables = { r: Array.from({ length: 1_000 }, () => ({ __typename: 'Author', id: 1 })) };
  const preparer = new OperationPreparer({
    schema,
    limits: { ...limits, MAX_TOKENS: 5_000, MAX_ALIASES: 200, MAX_ROOT_FIELDS: 200 },
    weights: {},
  });
  const request = preparer.prepare({ query: `query ($r: [_Any!]!) { ${fields} }`, variables }, options);
  const budget = new OperationBudget(NO_BUDGET_LIMITS);
  let turns = 0;
  const yieldTurn = budget.yieldTurn.bind(budget);
  budget.yieldTurn = () => {
    turns += 1;
    return yieldTurn();
  };
  // The executor has no budget, so only the resolvers yield.
  const { errors } = await createExecutor(schema).execute({ ...request, context: { operation: { budget } } });
  expect(errors).toBeUndefined();
  expect(turns).toBeGreaterThan(2);
});
