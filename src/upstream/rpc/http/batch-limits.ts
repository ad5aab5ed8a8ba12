import { MAX_BATCH_BYTES } from './batches.ts';

/** How long batches stay reduced after a rejection, before the full size is tried again. */
const REDUCED_BATCH_MS = 60_000;
/** Divisor of the number of calls of a rejected batch. The limits of nodes are mostly powers of ten, so few steps reach them. */
const CALL_REDUCTION_FACTOR = 10;
/** Divisor of the size of a request that is too large. Later batches are at least a quarter of what the node accepts. */
const BYTE_REDUCTION_FACTOR = 4;

/** A limit that is reduced for a minute. */
class ReducibleLimit {
  readonly #full: number;
  #reduced: number;
  #reducedUntil = 0;

  constructor(full: number) {
    this.#full = full;
    this.#reduced = full;
  }

  get current(): number {
    return Date.now() < this.#reducedUntil ? this.#reduced : this.#full;
  }

  reduceTo(value: number): void {
    this.#reduced = value;
    this.#reducedUntil = Date.now() + REDUCED_BATCH_MS;
  }
}

/** Tracks the largest batch that an endpoint accepts, by number of calls and by size, from its rejections. */
export class BatchLimits {
  readonly #calls: ReducibleLimit;
  readonly #bytes = new ReducibleLimit(MAX_BATCH_BYTES);
  #rejectionsInARow = 0;

  constructor(maxCalls: number) {
    this.#calls = new ReducibleLimit(maxCalls);
  }

  /** Maximum number of calls in the next POST. */
  get maxCalls(): number {
    return this.#calls.current;
  }

  /** Maximum size of the next POST with several calls. */
  get maxBytes(): number {
    return this.#bytes.current;
  }

  recordSuccess(): void {
    this.#rejectionsInARow = 0;
  }

  /**
   * Records the rejection of a batch of `callCount` calls and returns the size of the batches in which to resend them. An ambiguous rejection
   * may be temporary: later batches are smaller only after an explicit one, or after two in a row.
   */
  recordRejection(callCount: number, isExplicit: boolean): number {
    const reducedCount = isExplicit ? Math.max(1, Math.floor(callCount / CALL_REDUCTION_FACTOR)) : 1;
    this.#rejectionsInARow += 1;
    if (isExplicit || this.#rejectionsInARow > 1) this.#calls.reduceTo(reducedCount);
    return reducedCount;
  }

  /** Records that a batch of this size is too large for the endpoint (HTTP 413). The number of calls stays. */
  recordTooLarge(bytes: number): void {
    // A batch that was sent before the last reduction must not raise the limit again.
    this.#bytes.reduceTo(Math.min(this.maxBytes, Math.floor(bytes / BYTE_REDUCTION_FACTOR)));
  }
}
