import { GraphError } from '../errors.ts';

/** Counts what one operation requests from its upstreams, and ends it when that costs more than the limit. */
export class CallMeter {
  readonly limit: number;
  /** Cost of the calls that the operation has queued, in the unit of MAX_COST. */
  spent = 0;
  /** POSTs and GETs that were sent, repeated ones included. */
  requests = 0;
  /** Calls in those POSTs, and the GETs. */
  calls = 0;
  #error: GraphError | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether the limit is exceeded: nothing more is sent then. */
  get isExhausted(): boolean {
    return this.spent > this.limit;
  }

  /** What the fields report for which nothing was sent. One error for all of them. */
  get error(): GraphError {
    const { limit, spent: actual } = this;
    const message = `The operation needs more calls to the node and the services than it may make: they cost ${actual} and the limit is ${limit} (MAX_COST). Request fewer blocks, or less of each.`;
    this.#error ??= new GraphError('RESULT_TOO_LARGE', message, { limit, actual, setting: 'MAX_COST' });
    return this.#error;
  }

  /** Takes note of one request with so many calls. */
  recordRequest(calls: number): void {
    this.requests += 1;
    this.calls += calls;
  }
}
