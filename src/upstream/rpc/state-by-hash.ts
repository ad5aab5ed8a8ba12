/** Refusals in a row, each sent after the one before, from which on state is read by height at once. */
const LEARNED = 2;
/** How long it is, before reads by hash are tried again: the node may have been replaced, or the refusals were a fault that passed. */
const RETEST_MS = 60_000;
/** Reads by height without result that are allowed at first; then one for ten reads by hash that fail. */
const CREDIT = 10;
const EARNED = 0.1;

/**
 * Learns whether an endpoint reads state at a block hash (EIP-1898). Nodes refuse the form in words of their own, so an error alone proves
 * nothing: the form counts as refused when the same read works by height, twice in a row.
 */
export class StateByHash {
  #refusals = 0;
  #retestAt = 0;
  #credit = CREDIT;
  #hasWorked = false;

  /** Refusals in a row. A read takes the number when it is sent and returns it to `refused`: reads sent together count once. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Whether state is to be read by height at once. */
  get isRefused(): boolean {
    return this.#refusals >= LEARNED && performance.now() < this.#retestAt;
  }

  /** Whether a read by hash has ever worked here. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** A read by hash worked. */
  worked(): void {
    this.#refusals = 0;
    this.#hasWorked = true;
  }

  /** A read failed by hash and worked by height. `isPlain`: the node called the parameters invalid, which needs no second proof. */
  refused(since: number, isPlain: boolean): void {
    if (this.#refusals === since) this.#refusals = isPlain ? LEARNED : since + 1;
    if (this.#refusals >= LEARNED) this.#retestAt = performance.now() + RETEST_MS;
  }

  /** Whether a read that failed by hash may be tried by height: not for ever, where the node fails at reads of either form. */
  mayTryHeight(): boolean {
    this.#credit = Math.min(CREDIT, this.#credit + EARNED);
    return this.#credit >= 1;
  }

  /** A read failed in both forms. */
  failedTwice(): void {
    this.#credit -= 1;
  }
}
