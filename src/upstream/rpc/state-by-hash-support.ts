/** Number of consecutive rejections after which state is read by height. A read counts only if it was sent after the previous rejection. */
const MIN_REJECTIONS = 2;
/** Time until reads by hash are tried again: the node may have been replaced, or the rejections were a temporary fault. */
const RETEST_MS = 60_000;
/** Number of fallback reads by height that may fail. Each failed read by hash restores a tenth of one. */
const MAX_FALLBACK_CREDIT = 10;
const FALLBACK_CREDIT_PER_FAILURE = 0.1;

/**
 * Detects whether an endpoint reads state at a block hash (EIP-1898). Nodes reject a hash with different errors, so an error alone proves
 * nothing: a read by hash counts as rejected when the same read succeeds by height, twice in a row.
 */
export class StateByHashSupport {
  #rejections = 0;
  #retestAt = 0;
  #credit = MAX_FALLBACK_CREDIT;
  #hasWorked = false;

  /** Rejections in a row. Pass the value at the time of sending to `recordRejection`, so that reads sent together count once. */
  get rejections(): number {
    return this.#rejections;
  }

  /** Whether to read state by height without trying the hash. */
  get isUnsupported(): boolean {
    return this.#rejections >= MIN_REJECTIONS && performance.now() < this.#retestAt;
  }

  /** Whether a read by hash has ever succeeded. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** Records a read by hash that succeeded. */
  recordSuccess(): void {
    this.#rejections = 0;
    this.#hasWorked = true;
  }

  /**
   * Records a read that failed by hash and succeeded by height. `isExplicit`: the node reported invalid parameters; one such rejection is
   * enough.
   */
  recordRejection(rejectionsWhenSent: number, isExplicit: boolean): void {
    if (this.#rejections === rejectionsWhenSent) this.#rejections = isExplicit ? MIN_REJECTIONS : rejectionsWhenSent + 1;
    if (this.#rejections >= MIN_REJECTIONS) this.#retestAt = performance.now() + RETEST_MS;
  }

  /** Whether a read that failed by hash may be tried by height. Limited, because an endpoint may fail at reads of either form. */
  canTryHeight(): boolean {
    this.#credit = Math.min(MAX_FALLBACK_CREDIT, this.#credit + FALLBACK_CREDIT_PER_FAILURE);
    return this.#credit >= 1;
  }

  /** Records a read that failed in both forms. */
  recordFallbackFailure(): void {
    this.#credit -= 1;
  }
}
