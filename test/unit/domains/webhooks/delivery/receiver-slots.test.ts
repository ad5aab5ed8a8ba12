import { expect, test } from '@jest/globals';
import {
  createReceiverSlots,
  observeAttempt,
  type ReceiverSlot,
  type ReceiverSlots,
} from '../../../../../src/domains/webhooks/delivery/receiver-slots.ts';

const createSlots = (total = 100): ReceiverSlots => createReceiverSlots(total, () => 0.5);

/** Serves a registration with attempts of these durations. */
function serve(slots: ReceiverSlots, id: string, ...durationsMs: number[]): ReceiverSlot {
  const slot = slots.acquire(id) as ReceiverSlot;
  for (const durationMs of durationsMs) observeAttempt(slot, durationMs);
  slots.release(slot);
  return slot;
}

/** The number of `count` new registrations that receive a slot. */
const countAdmitted = (slots: ReceiverSlots, count: number, name: string): number =>
  Array.from({ length: count }, (_none, i) => slots.acquire(`${name}-${i}`)).filter((slot) => typeof slot !== 'number').length;

test.each([
  ['has never responded', [], 1, 'unknown'],
  ['has responded once, fast', [5], 2, 'fast'],
  ['has responded often, fast', [5, 5, 5, 5, 5, 5], 4, 'fast'],
  ['hangs', [5, 5, 5, 5, 15_000], 1, 'slow'],
  ['responds fast again', [5, 5, 5, 5, 15_000, 5], 2, 'fast'],
  ['needs a second', [5, 5, 5, 5, 1_000], 4, 'slow'],
  ['needs five seconds', [5, 5, 5, 5, 5_000], 1, 'slow'],
] as const)('the speed of a receiver that %s, after attempts of %j ms, permits %i attempts', (_case, durations, limit, speed) => {
  expect(serve(createSlots(), 'a', ...durations)).toEqual({ limit, speed });
});

test('any number of unknown receivers leaves a quarter of the slots to fast receivers', () => {
  const slots = createSlots();
  serve(slots, 'fast', 5);
  expect(countAdmitted(slots, 1_000, 'unknown')).toBe(75);
  expect(slots.acquire('fast')).toMatchObject({ speed: 'fast' });
  expect(slots.acquire('other')).toBe(750);
});

test('fast receivers take no share of unknown ones', () => {
  const slots = createSlots(4);
  const ids = ['fast-0', 'fast-1', 'fast-2'];
  for (const id of ids) serve(slots, id, 5);
  for (const id of ids) slots.acquire(id);
  expect(slots.acquire('new')).toMatchObject({ speed: 'unknown' });
});

test('any number of receivers known to hang leaves slots to new receivers', () => {
  const slots = createSlots();
  for (let i = 0; i < 200; i++) serve(slots, `slow-${i}`, 15_000);
  expect(countAdmitted(slots, 200, 'slow')).toBe(50);
  expect(slots.acquire('slow-100')).toBe(11_250);
  expect(countAdmitted(slots, 100, 'new')).toBe(25);
});

test('fast receivers that start to hang leave the share of fast receivers before their attempts end', () => {
  const slots = createSlots(8);
  const ids = Array.from({ length: 6 }, (_none, i) => `fast-${i}`);
  for (const id of ids) serve(slots, id, 5);
  const taken = ids.map((id) => slots.acquire(id) as ReceiverSlot);
  for (const slot of taken) slot.speed = 'slow';
  expect(slots.acquire('new')).toBe(750);
  for (const slot of taken) slots.release(slot);
  expect(slots.acquire('new')).toMatchObject({ speed: 'unknown' });
});
