import { LRUCache } from 'lru-cache';

/** Concurrent attempts of one registration whose receiver responds fast. */
const MAX_PER_REGISTRATION = 4;
/** A receiver that needs longer is slow; whether it accepts or rejects the delivery does not matter. */
export const SLOW_AFTER_MS = 1_000;
/** After an attempt this long, which is usually one that reached the time limit, a registration has one attempt at a time. */
const HANGING_AFTER_MS = 5_000;
/** Receivers whose speed is cached. */
const MAX_CACHED = 10_000;

type ReceiverSpeed = 'fast' | 'unknown' | 'slow';

/** How many slots may be taken by receivers that are not fast before one of this speed takes another, as a share of all slots. */
const MAX_SHARES: Readonly<Record<ReceiverSpeed, number>> = { fast: 1, unknown: 0.75, slow: 0.5 };
/** How long a registration without a slot waits, at most. */
const MAX_WAITS_MS: Readonly<Record<ReceiverSpeed, number>> = { fast: 0, unknown: 1_000, slow: 15_000 };

/** The slot of a registration, and what is known of its receiver. */
export interface ReceiverSlot {
  speed: ReceiverSpeed;
  /** Attempts that may be in flight: one at first and after one that hung, and one more with each fast response. */
  limit: number;
}

export type ReceiverSlots = ReturnType<typeof createReceiverSlots>;

/**
 * Admits registrations so that receivers that hang do not delay others: whatever their number, they leave slots to those that are fast or new.
 */
export function createReceiverSlots(total: number, random: () => number) {
  const cached = new LRUCache<string, ReceiverSlot>({ max: MAX_CACHED });
  const taken = new Set<ReceiverSlot>();
  return {
    /** Takes the slot of a registration, or returns the milliseconds after which to try again. */
    acquire(registrationId: string): ReceiverSlot | number {
      const slot = cached.get(registrationId) ?? { speed: 'unknown', limit: 1 };
      cached.set(registrationId, slot);
      const { speed } = slot;
      const notFast = [...taken].filter((other) => other.speed !== 'fast').length;
      if (speed !== 'fast' && notFast >= Math.max(1, Math.floor(total * MAX_SHARES[speed])))
        return Math.round(MAX_WAITS_MS[speed] * (0.5 + random() / 2));
      taken.add(slot);
      return slot;
    },
    release: (slot: ReceiverSlot): boolean => taken.delete(slot),
  };
}

/** Records the duration of an attempt that has ended. */
export function observeAttempt(slot: ReceiverSlot, durationMs: number): void {
  slot.speed = durationMs < SLOW_AFTER_MS ? 'fast' : 'slow';
  if (slot.speed === 'fast') slot.limit = Math.min(MAX_PER_REGISTRATION, slot.limit + 1);
  else if (durationMs >= HANGING_AFTER_MS) slot.limit = 1;
}
