import { expect, test } from '@jest/globals';
import { ReceiverSlots } from '../../../../../src/domains/webhooks/delivery/receiver-slots.ts';

const createSlots = (total = 100): ReceiverSlots => new ReceiverSlots({ total, random: () => 1 });

/** Serves a registration once. */
function serve(slots: ReceiverSlots, id: string, durationMs: number): void {
  slots.acquire(id);
  slots.observe(id, durationMs);
  slots.release(id);
}

/** How many of these registrations receive a slot. */
const countAdmitted = (slots: ReceiverSlots, count: number, name: string): number =>
  Array.from({ length: count }, (_none, i) => slots.acquire(`${name}-${i}`)).filter((waitMs) => waitMs === undefined).length;

test('a registration starts with one attempt and has four once its receiver has responded fast', () => {
  const limits = [0, 1, 2, 3, 10].map((responses) => {
    const slots = createSlots();
    for (let i = 0; i < responses; i++) serve(slots, 'a', 5);
    return slots.limitOf('a');
  });
  expect(limits).toEqual([1, 2, 3, 4, 4]);
});

test('a receiver that hangs has one attempt at a time until it responds fast again', () => {
  const slots = createSlots();
  for (let i = 0; i < 4; i++) serve(slots, 'a', 5);
  serve(slots, 'a', 15_000);
  expect([slots.limitOf('a'), slots.isSlow('a')]).toEqual([1, true]);
  serve(slots, 'a', 5);
  expect([slots.limitOf('a'), slots.isSlow('a')]).toEqual([2, false]);
});

test('a receiver that needs seconds keeps its limit', () => {
  const slots = createSlots();
  for (let i = 0; i < 4; i++) serve(slots, 'a', 5);
  serve(slots, 'a', 2_000);
  expect([slots.limitOf('a'), slots.isSlow('a')]).toEqual([4, true]);
});

test('any number of unknown receivers leaves a quarter of the slots to fast ones', () => {
  const slots = createSlots();
  serve(slots, 'fast', 5);
  expect(countAdmitted(slots, 1_000, 'unknown')).toBe(75);
  expect(slots.acquire('fast')).toBeUndefined();
  expect(slots.acquire('other')).toBe(1_000);
});

test('any number of receivers known to hang leaves slots to new ones', () => {
  const slots = createSlots();
  for (let i = 0; i < 200; i++) serve(slots, `slow-${i}`, 15_000);
  expect(countAdmitted(slots, 200, 'slow')).toBe(50);
  expect(slots.acquire('slow-100')).toBe(15_000);
  expect(countAdmitted(slots, 100, 'new')).toBe(25);
});

test('fast receivers that start to hang leave the share of fast ones before their attempts end', () => {
  const slots = createSlots(8);
  const ids = Array.from({ length: 6 }, (_none, i) => `fast-${i}`);
  for (const id of ids) serve(slots, id, 5);
  for (const id of ids) slots.acquire(id);
  for (const id of ids) slots.markSlow(id);
  expect(slots.acquire('new')).toBe(1_000);
  for (const id of ids) slots.release(id);
  expect(slots.acquire('new')).toBeUndefined();
});
