import { expect, test } from '@jest/globals';
import { MAX_SHOWN_EVENTS, startedRun, withResult } from '../../../playground/runs/run.ts';

const costOf = (calls: number) => ({ estimate: 1, actual: 2, requests: 1, calls, computeUnits: 20 });

test('a run of a subscription has its last 200 events, the number of all, and the sum of their costs', () => {
  let run = startedRun(true);
  for (let number = 1; number <= MAX_SHOWN_EVENTS + 50; number++) {
    run = withResult(run, { data: { number }, extensions: { cost: costOf(3), block: { number: `0x${number.toString(16)}` } } });
  }
  expect(run.events).toHaveLength(200);
  expect(run.events.map(({ position }) => position).slice(0, 2)).toEqual([250, 249]);
  expect(run).toMatchObject({ eventCount: 250, block: 250, cost: { calls: 750, requests: 250, computeUnits: 5000 } });
});

test('a run of a query in drop-in mode has the hash of its block, no cost and no events', () => {
  const run = withResult(startedRun(false), { data: {} }, '0xb1');
  expect(run).toMatchObject({ events: [], eventCount: 0, block: '0xb1', cost: null });
});
