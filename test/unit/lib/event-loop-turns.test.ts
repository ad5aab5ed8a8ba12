import { expect, test } from '@jest/globals';
import { nextTurn } from '../../../src/lib/operation-budget.ts';

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
