/** Refusals in a row, each sent after the one before, from which on state is read by height at once. */
const MIN_REJECTIONS = 2;
/** How long it is, before reads by hash are tried again: the node may have been replaced, or the refusals were a fault that passed. */
const RETEST_MS = 60_000;
/** Reads by height without result that are allowed at first; then one for ten reads by hash that fail. */
const MAX_FALLBACK_CREDIT = 10;
const FALLBACK_CREDIT_PER_FAILURE = 0.1;

/**
 * Learns whether an endpoint reads state at a block hash (EIP-1898). Nodes refuse the form in words of their own, so an error alone proves
 * nothing: the form counts as refused when the same read works by height, twice in a row.
 */
export class StateByHashSupport {
  #refusals = 0;
  #retestAt = 0;
  #credit = MAX_FALLBACK_CREDIT;
  #hasWorked = false;

  /** Refusals in a row. A read takes the number when it is sent and returns it to `refused`: reads sent together count once. */
  get rejections(): number {
    return this.#refusals;
  }

  /** Whether state is to be read by height at once. */
  get isUnsupported(): boolean {
    return this.#refusals >= MIN_REJECTIONS && performance.now() < this.#retestAt;
  }

  /** Whether a read by hash has ever worked here. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** A read by hash worked. */
  recordSuccess(): void {
    this.#refusals = 0;
    this.#hasWorked = true;
  }

  /** A read failed by hash and worked by height. `isPlain`: the node called the parameters invalid, which needs no second proof. */
  recordRejection(since: number, isPlain: boolean): void {
    if (this.#refusals === since) this.#refusals = isPlain ? MIN_REJECTIONS : since + 1;
    if (this.#refusals >= MIN_REJECTIONS) this.#retestAt = performance.now() + RETEST_MS;
  }

  /** Whether a read that failed by hash may be tried by height: not for ever, where the node fails at reads of either form. */
  canTryHeight(): boolean {
    this.#credit = Math.min(MAX_FALLBACK_CREDIT, this.#credit + FALLBACK_CREDIT_PER_FAILURE);
    return this.#credit >= 1;
  }

  /** A read failed in both forms. */
  recordFallbackFailure(): void {
    this.#credit -= 1;
  }
}
