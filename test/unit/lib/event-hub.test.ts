import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { createEventHub } from '../../../src/lib/event-hub.ts';
import { log } from '../../support/silent-log.ts';

const END = new GraphError('SHUTTING_DOWN', 'over');

/** A hub that counts starts and stops of its source, and listeners that record their events. */
function createHub(lingerMs = 0) {
  const counts = { starts: 0, stops: 0 };
  const hub = createEventHub<string>({ log, lingerMs, start: () => void counts.starts++, stop: () => void counts.stops++ });
  const received: string[] = [];
  const listener = (name: string) => ({
    next: (event: string) => void received.push(`${name} ${event}`),
    end: ({ code }: GraphError) => void received.push(`${name} ${code}`),
  });
  return { counts, hub, received, listener };
}

test('event hub does not call a listener that another listener unsubscribes during an emit', () => {
  const { hub, received, listener } = createHub();
  const unsubscribes: (() => void)[] = [];
  unsubscribes.push(hub.subscribe({ ...listener('one'), next: () => unsubscribes[1]!() }));
  unsubscribes.push(hub.subscribe(listener('two')));
  hub.subscribe(listener('three'));
  hub.emit('a');
  expect(received).toEqual(['three a']);
});

test('event hub calls a listener that subscribes during an emit from the next event on', () => {
  const { hub, received, listener } = createHub();
  hub.subscribe({ ...listener('one'), next: () => void hub.subscribe(listener('late')) });
  hub.emit('a');
  expect(received).toEqual([]);
  hub.emit('b');
  expect(received).toEqual(['late b']);
});

test('event hub starts its source with the first listener and stops it once the linger time has passed without one', async () => {
  const { hub, counts, listener } = createHub(30);
  const unsubscribeOne = hub.subscribe(listener('one'));
  const unsubscribeTwo = hub.subscribe(listener('two'));
  unsubscribeOne();
  unsubscribeTwo();
  const unsubscribeThree = hub.subscribe(listener('three'));
  await sleep(60);
  expect(counts).toEqual({ starts: 1, stops: 0 });
  unsubscribeThree();
  unsubscribeThree();
  expect(counts).toEqual({ starts: 1, stops: 0 });
  await sleep(60);
  expect(counts).toEqual({ starts: 1, stops: 1 });
  hub.subscribe(listener('four'));
  expect(counts).toEqual({ starts: 2, stops: 1 });
});

test('event hub stops its source immediately when it ends its listeners, and retains resubscribed ones', () => {
  const { hub, counts, received, listener } = createHub(30);
  hub.subscribe({ ...listener('one'), end: () => void hub.subscribe(listener('again')) });
  hub.end(END);
  expect(counts).toEqual({ starts: 2, stops: 1 });
  hub.emit('a');
  expect(received).toEqual(['again a']);
});

test('closed event hub ends later listeners with the first reason and does not start its source', async () => {
  const { hub, counts, received, listener } = createHub();
  hub.subscribe(listener('one'));
  hub.close(END);
  hub.close(new GraphError('GAP_TOO_LARGE', 'later'));
  hub.subscribe(listener('two'));
  expect(received).toEqual(['one SHUTTING_DOWN']);
  await Promise.resolve();
  expect(received).toEqual(['one SHUTTING_DOWN', 'two SHUTTING_DOWN']);
  expect(counts).toEqual({ starts: 1, stops: 1 });
});
