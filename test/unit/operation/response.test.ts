import { describe, expect, test } from '@jest/globals';
import { JsonText } from '../../../src/graphql/executor/index.ts';
import { OperationBudget } from '../../../src/lib/operation-budget.ts';
import { createEntityLoader } from '../../../src/operation/entity-loader.ts';
import { formatResult } from '../../../src/operation/response.ts';

const running = (budget: OperationBudget, estimate?: number) => ({
  requestId: 'r',
  extensions: { block: { number: '0x1' } },
  budget,
  estimate,
});

const spentBudget = (spent: number): OperationBudget => Object.assign(new OperationBudget(), { spent });

describe('cost extension', () => {
  test('cost extension counts the calls plus a hundredth per value of the response', () => {
    const budget = spentBudget(7);
    budget.recordRequest(4, 106);
    budget.recordRequest(1);
    const items = Array.from({ length: 50 }, () => ({ a: 1, b: [1, 2] }));
    const { extensions } = formatResult({ data: new JsonText([JSON.stringify({ items })]) }, running(budget, 12));
    // 50 items with three values each cost 2.
    expect(extensions).toEqual({
      block: { number: '0x1' },
      cost: { estimate: 12, actual: 9, requests: 2, calls: 5, computeUnits: 106 },
    });
  });

  test('cost extension is absent unless the request enables it', () => {
    expect(formatResult({ data: new JsonText(['{}']) }, running(spentBudget(1))).extensions).toEqual({
      block: { number: '0x1' },
    });
  });

  test('cost extension counts no values for a response without data', () => {
    expect(formatResult({ data: null }, running(spentBudget(1), 3)).extensions!.cost).toMatchObject({ estimate: 3, actual: 1 });
  });
});

const keyOf = ({ id }: { id: string }) => id;

test('an entity loader rejects a failed key alone, and does not read it again', async () => {
  let failures = 0;
  const loader = createEntityLoader(async ({ id }: { id: string }) => {
    if (id !== 'bad') return id;
    failures += 1;
    throw new Error('failed');
  }, keyOf);
  const results = await Promise.allSettled([loader.load({ id: 'bad' }), loader.load({ id: 'good' })]);
  expect(results).toMatchObject([{ reason: { message: 'failed' } }, { value: 'good' }]);
  await expect(loader.load({ id: 'bad' })).rejects.toThrow('failed');
  expect(failures).toBe(1);
});

test('an entity loader resolves a key while another key of the same tick is pending', async () => {
  const loader = createEntityLoader(
    ({ id }: { id: string }) => (id === 'slow' ? new Promise<string>(() => {}) : Promise.resolve(id)),
    keyOf,
  );
  void loader.load({ id: 'slow' });
  expect(await loader.load({ id: 'fast' })).toBe('fast');
});
