import type { Logger } from 'pino';
import { GraphError } from '../../lib/errors.ts';

/** Value of HEADER_CHECKS: `on` refuses a result that contradicts the header of its block, `report` only logs and counts it. */
export type HeaderChecksMode = 'on' | 'report';

/** Minimum time between two log lines. On a chain whose headers differ from Ethereum headers, each block fails. */
const LOG_INTERVAL_MS = 60_000;

/** Decides whether to refuse a result that contradicts the header of its block. The mode never changes by itself. */
export class HeaderChecks {
  /** Number of results that contradict the header of their block. */
  failures = 0;
  readonly #mode: HeaderChecksMode;
  readonly #log: Pick<Logger, 'warn'> | undefined;
  /** Results that are already counted, because a cached result is compared whenever an operation reads it. */
  readonly #counted = new WeakSet<object>();
  #nextLogAt = Number.NEGATIVE_INFINITY;

  constructor(mode: HeaderChecksMode, log?: Pick<Logger, 'warn'>) {
    this.#mode = mode;
    this.#log = log;
  }

  /** Whether a result that contradicts a header is refused. */
  get refuses(): boolean {
    return this.#mode === 'on';
  }

  /** Returns the error with which to refuse a result; undefined if it contradicts nothing, and in the mode `report`. */
  errorOf(method: string, result: unknown, contradiction: string | undefined): GraphError | undefined {
    if (contradiction === undefined) return undefined;
    this.#count(method, result as object, contradiction);
    if (!this.refuses) return undefined;
    const message = `The node's result of ${method} contradicts a block header: ${contradiction}. Use a node with correct results, or set HEADER_CHECKS=report for a chain whose headers differ from those of Ethereum.`;
    return new GraphError('UPSTREAM_BAD_RESPONSE', message, { method });
  }

  #count(method: string, result: object, contradiction: string): void {
    if (this.#counted.has(result)) return;
    this.#counted.add(result);
    this.failures += 1;
    if (performance.now() < this.#nextLogAt) return;
    this.#nextLogAt = performance.now() + LOG_INTERVAL_MS;
    this.#log?.warn(
      { method, contradiction, failures: this.failures, HEADER_CHECKS: this.#mode },
      'a result of the node contradicts a block header',
    );
  }
}
