import type { Logger } from 'pino';
import { CHECKED_FIELDS, type Contradiction } from '../../ethereum/header-checks.ts';
import { GraphError } from '../../lib/errors.ts';
import { CounterFamily } from '../../lib/metrics.ts';

/** Value of HEADER_CHECKS: `on` refuses a result that contradicts the header of its block, `report` only logs and counts it. */
export type HeaderChecksMode = 'on' | 'report';

/** Minimum time between two log lines of an endpoint. On a chain whose headers differ from Ethereum headers, each block fails. */
const LOG_INTERVAL_MS = 60_000;

/** An endpoint with this number of failures within `WINDOW_CHECKS` checks of the node is used last for the next `WINDOW_CHECKS` checks. */
const MAX_FAILURES = 3;
const WINDOW_CHECKS = 1_000;

/** Decides whether to refuse a result that contradicts the header of its block. The mode never changes by itself. */
export class HeaderChecks {
  readonly mode: HeaderChecksMode;
  readonly log: Pick<Logger, 'warn'> | undefined;
  /** Number of checks of all results. */
  checks = 0;
  readonly failures = new CounterFamily({
    name: 'upstream_verification_failures_total',
    help: 'Results of the node that contradict a block header, by the field of the header.',
    labelNames: ['check'],
  });
  /** Results that are already counted, because a cached result is compared whenever an operation reads it. */
  readonly counted = new WeakSet<object>();
  readonly #ofLoaders = new EndpointHeaderChecks(this, undefined);

  constructor(mode: HeaderChecksMode, log?: Pick<Logger, 'warn'>) {
    this.mode = mode;
    this.log = log;
    // A series that begins at 0 shows its first failure as an increase.
    for (const check of CHECKED_FIELDS) this.failures.with(check);
  }

  /** Whether a result that contradicts a header is refused. */
  get refuses(): boolean {
    return this.mode === 'on';
  }

  /** The checks of the results of one endpoint. `label`: its scheme, host and port. */
  ofEndpoint(label: string): EndpointHeaderChecks {
    return new EndpointHeaderChecks(this, label);
  }

  /** The same decision about a result whose endpoint is not known, because the result was read earlier. */
  errorOf(method: string, result: unknown, contradiction: Contradiction | undefined): GraphError | undefined {
    return this.#ofLoaders.errorOf(method, result, contradiction);
  }
}

/** Decides whether to refuse a result. */
export type ResultChecks = Pick<HeaderChecks, 'errorOf'>;

/** The checks of the results of one endpoint. */
export class EndpointHeaderChecks {
  readonly #node: HeaderChecks;
  readonly #endpoint: string | undefined;
  #nextLogAt = Number.NEGATIVE_INFINITY;
  /** The number of checks at each of the last failures. */
  readonly #failedAt: number[] = [];
  #isLastUntil = 0;
  #lastError: GraphError | undefined;

  constructor(node: HeaderChecks, endpoint: string | undefined) {
    this.#node = node;
    this.#endpoint = endpoint;
  }

  /** The last failure of an endpoint whose results fail repeatedly, so that others are preferred to it; else undefined. */
  get repeatedFailure(): GraphError | undefined {
    return this.#node.checks < this.#isLastUntil ? this.#lastError : undefined;
  }

  /** Returns the error with which to refuse a result; undefined if it contradicts nothing, and in the mode `report`. */
  errorOf(method: string, result: unknown, contradiction: Contradiction | undefined): GraphError | undefined {
    const node = this.#node;
    node.checks += 1;
    if (contradiction === undefined) return undefined;
    this.#count(method, result as object, contradiction);
    if (!node.refuses) return undefined;
    const message = `The node's result of ${method} contradicts a block header: ${contradiction.text}. Use a node with correct results, or set HEADER_CHECKS=report for a chain whose headers differ from Ethereum headers.`;
    const error = new GraphError('UPSTREAM_BAD_RESPONSE', message, { method, endpoint: this.#endpoint });
    // No header proves the hashes of the transactions with which logs are compared: another endpoint may have sent them.
    if (contradiction.check === 'transactionHash') return error;
    this.#lastError = error;
    this.#failedAt.push(node.checks);
    if (this.#failedAt.length > MAX_FAILURES) this.#failedAt.shift();
    if (this.#failedAt.length === MAX_FAILURES && node.checks - this.#failedAt[0]! < WINDOW_CHECKS)
      this.#isLastUntil = node.checks + WINDOW_CHECKS;
    return error;
  }

  #count(method: string, result: object, { check, text: contradiction }: Contradiction): void {
    const { counted, failures, log, mode } = this.#node;
    if (counted.has(result)) return;
    counted.add(result);
    failures.with(check).count += 1;
    if (performance.now() < this.#nextLogAt) return;
    this.#nextLogAt = performance.now() + LOG_INTERVAL_MS;
    const endpoint = this.#endpoint;
    log?.warn({ endpoint, method, contradiction, HEADER_CHECKS: mode }, 'a result of the node contradicts a block header');
  }
}
