import { LRUCache } from 'lru-cache';

/** Maximum number of concurrent attempts of one registration whose receiver is fast. */
const MAX_PER_REGISTRATION = 4;
/** A receiver that needs longer to respond is slow, whether it accepts or rejects the delivery. */
export const SLOW_AFTER_MS = 1_000;
/**
 * After an attempt of at least this duration, which has usually timed out, a registration has one attempt at a time.
 */
const HANGING_AFTER_MS = 5_000;
/** Maximum number of receivers whose speed is cached. */
const MAX_CACHED = 10_000;

type ReceiverSpeed = 'fast' | 'unknown' | 'slow';

/**
 * A receiver of this speed takes a slot only while slow and unknown receivers occupy less than this share of all slots.
 */
const MAX_SHARES: Readonly<Record<ReceiverSpeed, number>> = { fast: 1, unknown: 0.75, slow: 0.5 };
/** Maximum time that a registration without a slot waits. */
const MAX_WAITS_MS: Readonly<Record<ReceiverSpeed, number>> = { fast: 0, unknown: 1_000, slow: 15_000 };

/** The slot of a registration, and the observed speed of its receiver. */
export interface ReceiverSlot {
  speed: ReceiverSpeed;
  /** Maximum number of attempts in flight: 1 at first and after an attempt that hung; each fast response adds 1. */
  limit: number;
}

export type ReceiverSlots = ReturnType<typeof createReceiverSlots>;

/**
 * Admits registrations so that hanging receivers do not delay other receivers: any number of hanging receivers leaves
 * slots to fast and new receivers.
 */
export function createReceiverSlots(total: number, random: () => number) {
  const cached = new LRUCache<string, ReceiverSlot>({ max: MAX_CACHED });
  const taken = new Set<ReceiverSlot>();
  return {
    /** Takes the slot of a registration, or returns the milliseconds after which the caller tries again. */
    acquire(registrationId: string): ReceiverSlot | number {
      const slot = cached.get(registrationId) ?? { speed: 'unknown', limit: 1 };
      cached.set(registrationId, slot);
      const { speed } = slot;
      const notFast = [...taken].filter((other) => other.speed !== 'fast').length;
      if (notFast >= Math.max(1, Math.floor(total * MAX_SHARES[speed])))
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
