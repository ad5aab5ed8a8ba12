import { expect, test } from '@jest/globals';
import { operationStatements } from '../../../../../src/domains/webhooks/loaders/index.ts';
import { StatementTurns } from '../../../../../src/domains/webhooks/store/statement-turns.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../../src/lib/operation-budget.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { useDatabase } from '../store/database.ts';

const fixture = useDatabase();

/** The statements of one operation with these limits. */
function createStatements(limits: { MAX_COST?: number; MAX_UPSTREAM_BYTES?: number } = {}) {
  const controller = new AbortController();
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, ...limits }, (error) => controller.abort(error));
  const { signal } = controller;
  const operation = { requestId: 'request', signal, extensions: {}, dependencies: new ResponseDependencies(), budget };
  return {
    controller,
    budget,
    statements: operationStatements({ database: fixture.database, turns: new StatementTurns() }, operation),
  };
}

const TEXT = "select repeat('x', 2000) as text";

test('the rows of an operation count as bytes from an upstream, and end it at the limit', async () => {
  const { budget, statements } = createStatements({ MAX_UPSTREAM_BYTES: 5_000 });
  await statements.query(TEXT);
  await statements.transaction((query) => query(TEXT));
  expect(budget.upstreamBytes).toBe(4_000);
  await statements.query(TEXT);
  const rejection = { code: 'RESULT_TOO_LARGE', extensions: { setting: 'MAX_UPSTREAM_BYTES', limit: 5_000, actual: 6_000 } };
  expect(budget.error).toMatchObject(rejection);
  await expect(statements.query(TEXT)).rejects.toMatchObject(rejection);
  expect(budget.upstreamBytes).toBe(6_000);
});

test('each millisecond of the database costs an operation 1', async () => {
  const { budget, statements } = createStatements({ MAX_COST: 100 });
  await statements.query('select pg_sleep(0.05)');
  expect(budget.spent).toBeGreaterThanOrEqual(50);
  await statements.query('select pg_sleep(0.1)');
  expect(budget.error).toMatchObject({ code: 'RESULT_TOO_LARGE', extensions: { setting: 'MAX_COST' } });
});

test('a statement of an operation that has ended while it waited is not sent', async () => {
  const { controller, statements } = createStatements();
  const results = Promise.allSettled(Array.from({ length: 10 }, () => statements.query('select txid_current() as id')));
  controller.abort(new Error('the operation has ended'));
  const rejected = (await results).filter(({ status }) => status === 'rejected');
  expect(rejected.length).toBeGreaterThanOrEqual(8);
});
