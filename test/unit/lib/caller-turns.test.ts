import { expect, test } from '@jest/globals';
import { CallerTurns } from '../../../src/lib/caller-turns.ts';
import { createGate } from '../../support/gate.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns over connections whose statements a test ends one by one. */
function createTurns() {
  const running = new Map<string, () => void>();
  const turns = new CallerTurns({ running: 3, runningOfCaller: 2 });
  const statement = (name: string) => () =>
    new Promise<void>((resolve) => {
      running.set(name, resolve);
    });
  return {
    async start(app: string, count: number) {
      for (let i = 1; i <= count; i++) void turns.run(app, statement(`${app}${i}`));
      await nextTurn();
    },
    running: () => [...running.keys()],
    async end(text: string) {
      running.get(text)!();
      running.delete(text);
      await nextTurn();
    },
  };
}

test('an application with many statements leaves a connection to another application', async () => {
  const { start, running } = createTurns();
  await start('shop', 200);
  expect(running()).toEqual(['shop1', 'shop2']);
  await start('farm', 1);
  expect(running()).toEqual(['shop1', 'shop2', 'farm1']);
});

test('applications whose statements wait take turns, whatever their number', async () => {
  const { start, running, end } = createTurns();
  await start('shop', 200);
  await start('farm', 200);
  await start('mill', 1);
  expect(running()).toEqual(['shop1', 'shop2', 'farm1']);
  const order: string[] = [];
  for (let i = 0; i < 6; i++) {
    await end(running()[0]!);
    order.push(running().at(-1)!);
  }
  expect(order).toEqual(['shop3', 'farm2', 'mill1', 'shop4', 'farm3', 'shop5']);
});

test('work whose signal was aborted while it waited is not executed, and its turn passes to the next', async () => {
  const turns = new CallerTurns({ running: 1, runningOfCaller: 1 });
  const { opened, open: end } = createGate();
  const first = turns.run('shop', () => opened);
  const control = new AbortController();
  const executed: string[] = [];
  const aborted = turns.run('shop', async () => executed.push('aborted'), control.signal);
  const next = turns.run('farm', async () => executed.push('next'));
  control.abort(new Error('the operation has ended'));
  end();
  await expect(aborted).rejects.toThrow('the operation has ended');
  await Promise.all([first, next]);
  expect(executed).toEqual(['next']);
});
