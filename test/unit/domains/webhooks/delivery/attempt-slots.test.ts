import { expect, test } from '@jest/globals';
import { AttemptSlots } from '../../../../../src/domains/webhooks/delivery/attempt-slots.ts';

function createSlots(total = 100) {
  const clock = { ms: 0 };
  return { clock, slots: new AttemptSlots({ total, now: () => clock.ms, random: () => 0.5 }) };
}

/** Attempts that a registration may have in flight now. */
function countFree(slots: AttemptSlots, registrationId: string): number {
  let free = 0;
  while (slots.acquire(registrationId) === undefined) free += 1;
  return free;
}

test('a registration starts with one attempt and has four once its receiver has responded fast', () => {
  const limits = [0, 1, 2, 3, 10].map((responses) => {
    const { slots } = createSlots();
    for (let i = 0; i < responses; i++) {
      slots.acquire('a');
      slots.release('a', 5);
    }
    return countFree(slots, 'a');
  });
  expect(limits).toEqual([1, 2, 3, 4, 4]);
});

test('a receiver that starts to hang has one attempt at a time', () => {
  const { slots } = createSlots();
  for (let i = 0; i < 4; i++) {
    slots.acquire('a');
    slots.release('a', 5);
  }
  expect(countFree(slots, 'a')).toBe(4);
  slots.markSlow('a');
  for (let i = 0; i < 3; i++) slots.release('a', 15_000);
  expect(countFree(slots, 'a')).toBe(0);
  slots.release('a', 15_000);
  expect(countFree(slots, 'a')).toBe(1);
});

test('any number of hanging receivers leaves a quarter of the slots to fast ones', () => {
  const { slots } = createSlots(100);
  slots.acquire('fast');
  slots.release('fast', 5);
  const taken = Array.from({ length: 1_000 }, (_none, i) => slots.acquire(`hanging-${i}`)).filter((wait) => wait === undefined);
  expect(taken).toHaveLength(75);
  expect(countFree(slots, 'fast')).toBeGreaterThan(0);
});

test('fast receivers that start to hang leave the share of fast ones when they are found slow', () => {
  const { slots } = createSlots(8);
  for (const id of ['a', 'b', 'fast']) {
    for (let i = 0; i < 4; i++) {
      slots.acquire(id);
      slots.release(id, 5);
    }
  }
  expect(countFree(slots, 'a') + countFree(slots, 'b')).toBe(8);
  slots.markSlow('a');
  slots.markSlow('b');
  expect(slots.acquire('new')).toBeGreaterThan(0);
  expect(slots.acquire('fast')).toBeUndefined();
});

test('waiting deliveries of a hanging receiver return at the rate at which it takes them, and within five minutes', () => {
  const { slots } = createSlots();
  slots.acquire('a');
  slots.release('a', 15_000);
  slots.acquire('a');
  const waits = Array.from({ length: 100 }, () => slots.acquire('a')!);
  expect(waits.slice(0, 3)).toEqual([15_000, 30_000, 45_000]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
});

test('waiting deliveries of a fast receiver return within milliseconds', () => {
  const { slots } = createSlots();
  for (let i = 0; i < 10; i++) {
    slots.acquire('a');
    slots.release('a', 4);
  }
  countFree(slots, 'a');
  expect(Math.max(...Array.from({ length: 20 }, () => slots.acquire('a')!))).toBe(50);
});

test('a registration whose receiver recovers has all of its slots again', () => {
  const { slots } = createSlots();
  slots.acquire('a');
  slots.release('a', 15_000);
  for (let i = 0; i < 4; i++) {
    expect(slots.acquire('a')).toBeUndefined();
    slots.release('a', 5);
  }
  expect(countFree(slots, 'a')).toBe(4);
});

test('only fast registrations without a free slot are left in the queue', () => {
  const { slots } = createSlots();
  slots.acquire('hanging');
  slots.acquire('fast');
  slots.release('fast', 5);
  expect(slots.full).toEqual([]);
  countFree(slots, 'fast');
  expect(slots.full).toEqual(['fast']);
  slots.markSlow('fast');
  expect(slots.full).toEqual([]);
});
