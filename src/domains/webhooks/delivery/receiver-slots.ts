/** Concurrent attempts of one registration whose receiver responds fast. */
const MAX_PER_REGISTRATION = 4;
/** A receiver that needs longer is slow; whether it accepts or rejects the delivery does not matter. */
export const SLOW_AFTER_MS = 1_000;
/** After an attempt this long, which is usually one that reached the time limit, a registration has one attempt at a time. */
const HANGING_AFTER_MS = 5_000;
/** Idle registrations that are remembered. */
const MAX_IDLE = 10_000;

type ReceiverSpeed = 'fast' | 'unknown' | 'slow';

/** How many slots may be taken by receivers that are not fast before one of this speed takes another, as a share of all slots. */
const MAX_SHARES: Readonly<Record<ReceiverSpeed, number>> = { fast: 1, unknown: 0.75, slow: 0.5 };
/** How long a registration without a slot waits, at most. */
const MAX_WAITS_MS: Readonly<Record<ReceiverSpeed, number>> = { fast: 0, unknown: 1_000, slow: 15_000 };

interface ReceiverState {
  speed: ReceiverSpeed;
  /** Attempts that may be in flight: one at first and after one that hung, and one more with each fast response. */
  limit: number;
  isActive: boolean;
}

export interface ReceiverSlotsOptions {
  /** Registrations that are served at the same time. */
  readonly total: number;
  readonly random: () => number;
}

/**
 * Admits registrations so that receivers that hang do not delay others: whatever their number, they leave slots to those that are fast or new.
 */
export class ReceiverSlots {
  readonly #total: number;
  readonly #random: () => number;
  readonly #states = new Map<string, ReceiverState>();
  /** Registrations with a slot that are not fast. */
  #notFast = 0;

  constructor({ total, random }: ReceiverSlotsOptions) {
    this.#total = total;
    this.#random = random;
  }

  /** Takes the slot of a registration and returns undefined, or returns the milliseconds after which to try again. */
  acquire(registrationId: string): number | undefined {
    const state = this.#stateOf(registrationId);
    const { speed } = state;
    if (speed !== 'fast' && this.#notFast >= Math.max(1, Math.floor(this.#total * MAX_SHARES[speed])))
      return Math.round(MAX_WAITS_MS[speed] * (0.5 + this.#random() / 2));
    state.isActive = true;
    if (speed !== 'fast') this.#notFast += 1;
    return undefined;
  }

  release(registrationId: string): void {
    const state = this.#stateOf(registrationId);
    if (state.speed !== 'fast') this.#notFast -= 1;
    state.isActive = false;
  }

  /** Attempts of a registration that may be in flight. */
  limitOf(registrationId: string): number {
    return this.#stateOf(registrationId).limit;
  }

  isSlow(registrationId: string): boolean {
    return this.#stateOf(registrationId).speed === 'slow';
  }

  /** Records that an attempt has been in flight for SLOW_AFTER_MS, before its end is known. */
  markSlow(registrationId: string): void {
    this.#setSpeed(registrationId, 'slow');
  }

  /** Records the duration of an attempt that has ended. */
  observe(registrationId: string, durationMs: number): void {
    const state = this.#stateOf(registrationId);
    this.#setSpeed(registrationId, durationMs < SLOW_AFTER_MS ? 'fast' : 'slow');
    if (durationMs < SLOW_AFTER_MS) state.limit = Math.min(MAX_PER_REGISTRATION, state.limit + 1);
    else if (durationMs >= HANGING_AFTER_MS) state.limit = 1;
  }

  #setSpeed(registrationId: string, speed: ReceiverSpeed): void {
    const state = this.#stateOf(registrationId);
    if (state.isActive) this.#notFast += Number(speed !== 'fast') - Number(state.speed !== 'fast');
    state.speed = speed;
  }

  #stateOf(registrationId: string): ReceiverState {
    let state = this.#states.get(registrationId);
    if (!state) {
      if (this.#states.size >= MAX_IDLE) this.#forgetIdle();
      state = { speed: 'unknown', limit: 1, isActive: false };
      this.#states.set(registrationId, state);
    }
    return state;
  }

  #forgetIdle(): void {
    for (const [id, { isActive }] of this.#states) if (!isActive) this.#states.delete(id);
  }
}
