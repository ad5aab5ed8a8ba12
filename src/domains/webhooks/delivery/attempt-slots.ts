/** Concurrent attempts of one registration whose receiver responds fast. */
const MAX_PER_REGISTRATION = 4;
/** A receiver that needs longer is slow; whether it accepts or rejects the delivery does not matter. */
export const SLOW_AFTER_MS = 1_000;
/** Share of all slots for registrations that are not known to be fast. */
const UNPROVEN_SHARE = 0.75;
const MIN_WAIT_MS = 50;
/** A receiver that hangs causes one write for each waiting delivery in this time, and receives no later after its recovery. */
const MAX_WAIT_MS = 300_000;
/** After an attempt this long, which is usually one that reached the time limit, a registration has one slot. */
const HANGING_AFTER_MS = 5_000;
/** Assumed time of the first attempt, and of one that is slow and has not ended. */
const INITIAL_ATTEMPT_MS = 100;
const SLOW_ATTEMPT_MS = 4_000;
/** Idle registrations that are remembered. */
const MAX_IDLE = 10_000;

interface RegistrationState {
  inFlight: number;
  /** Attempts that may be in flight: one at first and after one that hung, and one more with each fast response. */
  limit: number;
  isFast: boolean;
  /** Moving average of the time of an attempt. */
  attemptMs: number;
  /** When the deliveries that wait already will have been sent. */
  busyUntil: number;
}

export interface AttemptSlotsOptions {
  /** Concurrent attempts in all. */
  readonly total: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * Admits attempts so that a receiver that hangs does not delay others. Each registration has a few slots; those that are not known to be fast
 * share a part of all slots, whatever their number, and the rest is for the fast ones. A rejected attempt receives a time to come back
 * that spreads the waiting deliveries of a registration at the rate at which its receiver takes them.
 */
export class AttemptSlots {
  readonly #maxUnproven: number;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #states = new Map<string, RegistrationState>();
  readonly #full = new Set<string>();
  #unproven = 0;

  constructor({ total, now, random }: AttemptSlotsOptions) {
    this.#maxUnproven = Math.max(1, Math.floor(total * UNPROVEN_SHARE));
    this.#now = now;
    this.#random = random;
  }

  /** The fast registrations without a free slot. Their deliveries stay in the queue until one is free, which is soon. */
  get full(): readonly string[] {
    return [...this.#full];
  }

  /** Takes a slot and returns undefined, or returns the milliseconds after which to try again. */
  acquire(registrationId: string): number | undefined {
    const state = this.#stateOf(registrationId);
    if (state.inFlight >= state.limit) return this.#wait(state);
    if (!state.isFast && this.#unproven >= this.#maxUnproven) return this.#wait(state);
    state.inFlight += 1;
    if (!state.isFast) this.#unproven += 1;
    else if (state.inFlight >= state.limit) this.#full.add(registrationId);
    return undefined;
  }

  /** Records that an attempt has been in flight for SLOW_AFTER_MS, before its end is known. */
  markSlow(registrationId: string): void {
    const state = this.#stateOf(registrationId);
    if (state.isFast) this.#unproven += state.inFlight;
    state.isFast = false;
    this.#full.delete(registrationId);
    state.attemptMs = Math.max(state.attemptMs, SLOW_ATTEMPT_MS);
  }

  /** Returns a slot after an attempt of this duration. */
  release(registrationId: string, durationMs: number): void {
    const state = this.#stateOf(registrationId);
    if (!state.isFast) this.#unproven -= 1;
    state.inFlight -= 1;
    if (durationMs >= SLOW_AFTER_MS) {
      this.markSlow(registrationId);
      state.attemptMs = durationMs;
      if (durationMs >= HANGING_AFTER_MS) state.limit = 1;
      return;
    }
    if (!state.isFast) {
      this.#unproven -= state.inFlight;
      state.isFast = true;
      state.attemptMs = durationMs;
      state.busyUntil = 0;
    }
    state.limit = Math.min(MAX_PER_REGISTRATION, state.limit + 1);
    state.attemptMs += (durationMs - state.attemptMs) / 4;
    this.#full.delete(registrationId);
  }

  #wait(state: RegistrationState): number {
    const now = this.#now();
    state.busyUntil = Math.max(now, state.busyUntil) + state.attemptMs / state.limit;
    const waitMs = Math.max(MIN_WAIT_MS, state.busyUntil - now);
    // Beyond the maximum the deliveries return at random times, not all at once.
    return Math.round(waitMs <= MAX_WAIT_MS ? waitMs : MAX_WAIT_MS * (0.5 + this.#random() / 2));
  }

  #stateOf(registrationId: string): RegistrationState {
    let state = this.#states.get(registrationId);
    if (!state) {
      if (this.#states.size >= MAX_IDLE) this.#forgetIdle();
      state = { inFlight: 0, limit: 1, isFast: false, attemptMs: INITIAL_ATTEMPT_MS, busyUntil: 0 };
      this.#states.set(registrationId, state);
    }
    return state;
  }

  #forgetIdle(): void {
    for (const [id, { inFlight }] of this.#states) if (inFlight === 0) this.#states.delete(id);
  }
}
