import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { GraphError } from '../../../src/errors.ts';
import { createEventHub } from '../../../src/sync/event-hub.ts';

const log = pino({ level: 'silent' });
const END = new GraphError('SHUTTING_DOWN', 'over');

/** An audience that counts its starts and stops, and listeners that write down what they hear. */
function createHub(lingerMs = 0) {
  const counts = { starts: 0, stops: 0 };
  const audience = createEventHub<string>({ log, lingerMs, start: () => void counts.starts++, stop: () => void counts.stops++ });
  const heard: string[] = [];
  const seat = (name: string) => ({
    next: (told: string) => void heard.push(`${name} ${told}`),
    end: ({ code }: GraphError) => void heard.push(`${name} ${code}`),
  });
  return { counts, audience, heard, seat };
}

test('who is let go by another in the middle of a telling is not told', () => {
  const { audience, heard, seat } = createHub();
  const leaves: (() => void)[] = [];
  leaves.push(audience.subscribe({ ...seat('one'), next: () => leaves[1]!() }));
  leaves.push(audience.subscribe(seat('two')));
  audience.subscribe(seat('three'));
  audience.emit('a');
  expect(heard).toEqual(['three a']);
});

test('who comes in the middle of a telling is told from the next one on', () => {
  const { audience, heard, seat } = createHub();
  audience.subscribe({ ...seat('one'), next: () => void audience.subscribe(seat('late')) });
  audience.emit('a');
  expect(heard).toEqual([]);
  audience.emit('b');
  expect(heard).toEqual(['late b']);
});

test('one listener may join twice', () => {
  const { audience, heard, seat } = createHub();
  const one = seat('one');
  audience.subscribe(one);
  const leave = audience.subscribe(one);
  audience.emit('a');
  leave();
  leave();
  audience.emit('b');
  expect(heard).toEqual(['one a', 'one a', 'one b']);
});

test('it starts with the first, stops a while after the last, and not if another comes meanwhile', async () => {
  const { audience, counts, seat } = createHub(30);
  const leaveOne = audience.subscribe(seat('one'));
  const leaveTwo = audience.subscribe(seat('two'));
  leaveOne();
  leaveTwo();
  const leaveThree = audience.subscribe(seat('three'));
  await sleep(60);
  expect(counts).toEqual({ starts: 1, stops: 0 });
  leaveThree();
  leaveThree();
  expect(counts).toEqual({ starts: 1, stops: 0 });
  await sleep(60);
  expect(counts).toEqual({ starts: 1, stops: 1 });
  audience.subscribe(seat('four'));
  expect(counts).toEqual({ starts: 2, stops: 1 });
});

test('it stops at once when all are ended, and who comes back in that moment is not ended with them', () => {
  const { audience, counts, heard, seat } = createHub(30);
  audience.subscribe({ ...seat('one'), end: () => void audience.subscribe(seat('again')) });
  audience.end(END);
  expect(counts).toEqual({ starts: 2, stops: 1 });
  audience.emit('a');
  expect(heard).toEqual(['again a']);
});

test('once it is closed it never starts again, and the first reason stays', async () => {
  const { audience, counts, heard, seat } = createHub();
  audience.subscribe(seat('one'));
  audience.close(END);
  audience.close(new GraphError('GAP_TOO_LARGE', 'later'));
  audience.subscribe(seat('two'));
  expect(heard).toEqual(['one SHUTTING_DOWN']);
  await Promise.resolve();
  expect(heard).toEqual(['one SHUTTING_DOWN', 'two SHUTTING_DOWN']);
  expect(counts).toEqual({ starts: 1, stops: 1 });
});
