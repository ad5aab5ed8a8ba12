import { expect, test } from '@jest/globals';
import { ExecutionTurns } from '../../../../src/graphql/subscriptions/execution-turns.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** Work that runs until it is released, with the order of starts and ends. */
function createWork(maxWorkCost = 100) {
  const turns = new ExecutionTurns(maxWorkCost);
  const started: number[] = [];
  const releases: (() => void)[] = [];
  const run = (id: number, cost = 1) =>
    turns.run(cost, async () => {
      started.push(id);
      await new Promise<void>((resolve) => {
        releases[id] = resolve;
      });
      return id;
    });
  const startedCount = (count: number) => waitUntil(() => started.length >= count, `${count} started`);
  return { turns, started, releases, run, startedCount };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const eventLoopTurn = () => new Promise(setImmediate);

test('eight groups execute concurrently, and each end starts the next group in order', async () => {
  const { started, releases, run, startedCount } = createWork();
  const results = range(20).map((id) => run(id));
  await eventLoopTurn();
  expect(started).toEqual(range(8));
  releases[5]!();
  await startedCount(9);
  await eventLoopTurn();
  expect(started).toEqual(range(9));
  for (const id of range(20).filter((one) => one !== 5)) {
    await waitUntil(() => releases[id] !== undefined, `work ${id} has started`);
    releases[id]!();
  }
  expect(await Promise.all(results)).toEqual(range(20));
  expect(started).toEqual(range(20));
});

test('concurrent work costs at most twice MAX_COST, and later work does not overtake expensive work', async () => {
  const { started, releases, run, startedCount } = createWork(100);
  const results = [run(0, 100), run(1, 90), run(2, 100), run(3, 1)];
  await eventLoopTurn();
  expect(started).toEqual([0, 1]);
  releases[1]!();
  await startedCount(3);
  await eventLoopTurn();
  expect(started).toEqual([0, 1, 2]);
  releases[0]!();
  await startedCount(4);
  for (const id of [2, 3]) releases[id]!();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
});

test('group that returns for another turn starts after the groups that wait already', async () => {
  const { turns } = createWork();
  const order: string[] = [];
  const takeTurns = async (name: string): Promise<void> => {
    for (const turn of [1, 2]) {
      await turns.run(1, async () => {
        order.push(`${name}${turn}`);
        await eventLoopTurn();
      });
    }
  };
  await Promise.all(range(10).map((i) => takeTurns(String.fromCharCode(97 + i))));
  const firsts = order.filter((turn) => turn.endsWith('1'));
  expect(firsts).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1', 'i1', 'j1']);
  expect(order.indexOf('j1')).toBeLessThan(order.indexOf('a2'));
  expect(order).toHaveLength(20);
});

test('limit of starts holds in each turn of the event loop for groups that execute without waiting', async () => {
  const turns = new ExecutionTurns(100, { maxStarts: 2 });
  let done = 0;
  const all = range(5).map(() => turns.run(1, async () => void done++));
  expect(done).toBe(0);
  for (const expected of [2, 4, 5]) {
    await eventLoopTurn();
    expect(done).toBe(expected);
  }
  await Promise.all(all);
});

test('event loop gets a turn between groups that execute without waiting', async () => {
  const { turns } = createWork();
  let done = 0;
  let doneAtNextTurn = 0;
  const all = range(100).map(() => turns.run(1, async () => void done++));
  await eventLoopTurn();
  doneAtNextTurn = done;
  await Promise.all(all);
  expect([doneAtNextTurn, done]).toEqual([8, 100]);
});
