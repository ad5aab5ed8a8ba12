import { type ErrorCode, type ErrorDetail, GraphError } from '../../lib/errors.ts';
import { isRetryable } from '../../lib/retry.ts';
import type { RpcOutcome } from './rpc-call.ts';

/** Number of consecutive failures that open the breaker. */
export const MAX_CONSECUTIVE_FAILURES = 5;
/** Time before each probe of an open breaker. */
export const HALF_OPEN_AFTER_MS = 500;

/** Counts the consecutive failures of one endpoint: the breaker is open from the fifth failure until a success. */
export class CircuitBreaker {
  #failures = 0;
  #nextProbeAt = 0;
  #lastFailure: GraphError | undefined;

  get isOpen(): boolean {
    return this.#failures >= MAX_CONSECUTIVE_FAILURES;
  }

  /** Whether a request may be sent: any request while the breaker is closed, one probe at a time while it is open. */
  tryPass(): boolean {
    if (!this.isOpen) return true;
    if (performance.now() < this.#nextProbeAt) return false;
    this.#nextProbeAt = Number.POSITIVE_INFINITY;
    return true;
  }

  /** Records the end of a request; `hasFailed` is undefined for a request that proves nothing about the endpoint. */
  record(hasFailed: boolean | undefined, failure?: GraphError): void {
    if (hasFailed) this.#lastFailure = failure;
    if (hasFailed !== undefined) this.#failures = hasFailed ? this.#failures + 1 : 0;
    this.#nextProbeAt = performance.now() + HALF_OPEN_AFTER_MS;
  }

  /** The error of a request to `name` that the open breaker rejects. Its first sentence is the last failure. */
  openError(name: string, detail: ErrorDetail): GraphError {
    const message = `${this.#lastFailure?.message} ${name} has failed ${MAX_CONSECUTIVE_FAILURES} times in a row; requests to it are suspended. Retry later.`;
    return new GraphError('UPSTREAM_CIRCUIT_OPEN', message, { ...detail, retryAfterMs: HALF_OPEN_AFTER_MS });
  }
}

/** Errors that count as failures of the endpoint. Any other error is a response of the endpoint. */
export const ENDPOINT_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
]);

/**
 * Whether an endpoint rejects every request for longer than a retry would wait: rejected credentials, a used-up quota, or a rate
 * limit with a long delay. Another endpoint may serve the request.
 */
export const isRejection = (error: GraphError): boolean =>
  error.code === 'UPSTREAM_AUTH' ||
  error.code === 'UPSTREAM_QUOTA_EXCEEDED' ||
  (error.code === 'UPSTREAM_RATE_LIMITED' && !isRetryable(error, 1));

/** A mismatched result is not a failure of the endpoint: its other results may be correct. */
const isEndpointFailure = (outcome: RpcOutcome): boolean =>
  'error' in outcome && !outcome.rpcError && !outcome.isMismatch && ENDPOINT_FAILURES.has(outcome.error.code);

/** Whether an outcome proves nothing about the endpoint: the call was not sent, or the endpoint may still work on it. */
const isInconclusive = (outcome: RpcOutcome): boolean =>
  'error' in outcome && (outcome.unsent === true || outcome.isHeavyTimeout === true);

/** Whether a request has failed, by the outcomes of its calls; undefined if they prove nothing about the endpoint. */
export function hasEndpointFailed(outcomes: readonly RpcOutcome[]): boolean | undefined {
  if (outcomes.every(isInconclusive)) return undefined;
  return outcomes.every((outcome) => isEndpointFailure(outcome) || isInconclusive(outcome));
}
