import { GraphError } from '../errors.ts';

/** Counts the upstream calls of one operation, and enforces the limit on their cost. */
export class CallMeter {
  readonly limit: number;
  /** Cost of the calls that the operation has queued, in the unit of MAX_COST. */
  spent = 0;
  /** Number of POSTs and GETs that were sent, retries included. */
  requests = 0;
  /** Number of calls in those POSTs, plus the number of GETs. */
  calls = 0;
  #error: GraphError | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether the limit is exceeded; then no further call is sent. */
  get isExhausted(): boolean {
    return this.spent > this.limit;
  }

  /** RESULT_TOO_LARGE for the calls that were not sent; the same error for all of them. */
  get error(): GraphError {
    const { limit, spent: actual } = this;
    const message = `The upstream calls of the operation cost ${actual}; the limit is ${limit} (MAX_COST). Request fewer blocks, or fewer fields of each.`;
    this.#error ??= new GraphError('RESULT_TOO_LARGE', message, { limit, actual, setting: 'MAX_COST' });
    return this.#error;
  }

  /** Counts one request with this number of calls. */
  recordRequest(calls: number): void {
    this.requests += 1;
    this.calls += calls;
  }
}
