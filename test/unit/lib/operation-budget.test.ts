import { afterAll, expect, jest, test } from '@jest/globals';
import {
  type BudgetLimits,
  filterYielding,
  finishYielding,
  forEachYielding,
  NO_BUDGET_LIMITS,
  nextTurn,
  OperationBudget,
} from '../../../src/lib/operation-budget.ts';
import { OperationRegistry } from '../../../src/operation/operation-registry.ts';

const budgetOf = (limits: Partial<BudgetLimits>) => {
  const ended: unknown[] = [];
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, ...limits }, (error) => ended.push(error));
  return { budget, ended };
};

// A clock that only the tests move: a busy machine can stop the process for longer than a turn.
let now = 1_000;
const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
afterAll(() => clock.mockRestore());

const advance = (ms: number): void => {
  now += ms;
};

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test.each<[keyof BudgetLimits, (budget: OperationBudget, amount: number) => void]>([
  ['MAX_COST', (budget, amount) => budget.addCost(amount)],
  ['MAX_UPSTREAM_BYTES', (budget, amount) => budget.addUpstreamBytes(amount)],
  ['MAX_RESPONSE_BYTES', (budget, amount) => budget.addResponseBytes(amount)],
])('a budget is exhausted above %s, reports it once and names limit, actual and setting', (setting, add) => {
  const { budget, ended } = budgetOf({ [setting]: 10 });
  add(budget, 6);
  add(budget, 4);
  expect(budget.error).toBeUndefined();
  expect(() => budget.throwIfExhausted()).not.toThrow();
  add(budget, 1);
  add(budget, 5);
  expect(ended).toEqual([budget.error]);
  expect(budget.error).toMatchObject({
    code: 'RESULT_TOO_LARGE',
    message: expect.stringMatching(new RegExp(`11; the limit is 10 \\(${setting}\\)\\. Request`)),
    extensions: { limit: 10, actual: 11, setting, retryable: false, source: 'graph' },
  });
  expect(() => budget.throwIfExhausted()).toThrow(budget.error);
});

test('only the first exceeded limit is reported', () => {
  const { budget, ended } = budgetOf({ MAX_COST: 1, MAX_UPSTREAM_BYTES: 1 });
  budget.addUpstreamBytes(2);
  budget.addCost(2);
  expect(ended).toMatchObject([{ extensions: { setting: 'MAX_UPSTREAM_BYTES' } }]);
});

test('a turn counts its microtasks, and not the time between turns', async () => {
  const { budget } = budgetOf({});
  budget.beginTurn();
  budget.beginTurn();
  advance(5);
  await Promise.resolve();
  advance(5);
  await nextTick();
  advance(20);
  expect(budget.eventLoopMs).toBe(10);
  budget.beginTurn();
  advance(3);
  await nextTick();
  expect(budget.eventLoopMs).toBe(13);
});

test('long work should yield once its turn has lasted ten milliseconds', async () => {
  const { budget } = budgetOf({});
  advance(20);
  expect(budget.shouldYield()).toBe(false);
  advance(11);
  expect(budget.shouldYield()).toBe(true);
  await budget.yieldTurn();
  expect(budget.eventLoopMs).toBe(11);
  expect(budget.shouldYield()).toBe(false);
});

test('work above MAX_EVENT_LOOP_MS ends when it checks whether to yield, and when its turn ends', async () => {
  const asking = budgetOf({ MAX_EVENT_LOOP_MS: 20 });
  asking.budget.beginTurn();
  advance(21);
  expect(() => asking.budget.shouldYield()).toThrow('(MAX_EVENT_LOOP_MS)');
  const silent = budgetOf({ MAX_EVENT_LOOP_MS: 20 });
  silent.budget.beginTurn();
  advance(21);
  await nextTick();
  expect(silent.ended).toMatchObject([{ extensions: { limit: 20, setting: 'MAX_EVENT_LOOP_MS' } }]);
  await expect(silent.budget.yieldTurn()).rejects.toBe(silent.budget.error);
});

/** A budget, and the steps after which its work has yielded. */
const recordedYields = () => {
  const { budget } = budgetOf({});
  const [yields, at]: [number[], { step: number }] = [[], { step: 0 }];
  const yieldTurn = budget.yieldTurn.bind(budget);
  jest.spyOn(budget, 'yieldTurn').mockImplementation(() => {
    yields.push(at.step);
    return yieldTurn();
  });
  return { budget, yields, at };
};

test.each([
  ['1,999 items', 1_999, []],
  ['2,000 items', 2_000, [1_999]],
  ['4,000 items', 4_000, [2_047, 3_071]],
])('a loop over %s yields after 2,000 items, then after each ten milliseconds', async (_name, count, expected) => {
  const { budget, yields, at } = recordedYields();
  budget.beginTurn();
  await forEachYielding(new Array(count).fill(0.01), budget, (ms, i) => {
    at.step = i;
    advance(ms);
  });
  expect(yields).toEqual(expected);
});

test('a computation yields when its turn has lasted five milliseconds, which it checks after each 32 steps', async () => {
  const { budget, yields, at } = recordedYields();
  function* steps() {
    for (at.step = 1; at.step <= 150; at.step++) {
      advance(0.1);
      yield;
    }
    return 'result';
  }
  budget.beginTurn();
  await expect(finishYielding(steps(), budget)).resolves.toBe('result');
  await expect(finishYielding(steps(), undefined)).resolves.toBe('result');
  expect(yields).toEqual([64, 128]);
});

test('a scan of an operation whose client has disconnected ends at its next check', async () => {
  const { operation, cancel } = new OperationRegistry(60_000, NO_BUDGET_LIMITS).begin('a request');
  const scan = filterYielding(new Array(10_000).fill(0), operation.budget, (_item) => {
    if (!operation.signal.aborted) cancel();
    return true;
  });
  await expect(scan).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(operation.signal.reason).toBe(operation.budget!.error);
});

test('each operation ends at its own deadline', () => {
  jest.useFakeTimers();
  const registry = new OperationRegistry(100, NO_BUDGET_LIMITS);
  const [first, second] = [registry.begin('first'), registry.begin('second')];
  jest.advanceTimersByTime(40);
  const all = [first, second, registry.begin('third')];
  first.end();
  const aborted = [59, 1, 39, 1].map((ms) => {
    jest.advanceTimersByTime(ms);
    return all.map(({ operation }) => Number(operation.signal.aborted)).join('');
  });
  jest.useRealTimers();
  expect(aborted).toEqual(['000', '010', '010', '011']);
});

test('each turn of the event loop continues one piece of work, and the owners take turns', async () => {
  const log: string[] = [];
  const [many, one, two] = [{}, {}, {}];
  let turn = 0;
  const countTurns = () => {
    turn += 1;
    if (log.length < 7) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const continued = (owner: object, name: string) => nextTurn(owner).then(() => log.push(`${name} in turn ${turn}`));
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => continued(many, name)),
    continued(one, 'b1'),
    ...['c1', 'c2'].map((name) => continued(two, name)),
  ]);
  const turns = log.map((entry) => Number(entry.split(' ').at(-1)));
  expect(log.map((entry) => entry.slice(0, 2))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  expect(new Set(turns).size).toBe(7);
});

test('work that queues more work waits behind the other owners', async () => {
  const log: string[] = [];
  const repeat = async (owner: object, name: string, count: number) => {
    for (let i = 0; i < count; i++) {
      await nextTurn(owner);
      log.push(name);
    }
  };
  await Promise.all([repeat({}, 'a', 3), repeat({}, 'b', 3)]);
  expect(log.join('')).toBe('ababab');
});
