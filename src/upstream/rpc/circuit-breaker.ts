import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll, type Policy } from 'cockatiel';
import { withTimeout } from '../../lib/abort.ts';
import { type ErrorCode, GraphError } from '../../lib/errors.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { EndpointCapabilities } from './endpoint-capabilities.ts';
import type { HttpRpcTransport } from './http/transport.ts';
import type { RpcCall, RpcOutcome } from './rpc-call.ts';

/** Number of failures in a row that open the breaker. */
export const MAX_CONSECUTIVE_FAILURES = 5;
/** Time before each probe of an open breaker. */
export const HALF_OPEN_AFTER_MS = 500;
/**
 * Interval of the checks whether a probe is due, and timeout of a probe: an endpoint is used again within two seconds of its recovery,
 * even if one probe is lost.
 */
const PROBE_INTERVAL_MS = 250;
const PROBE_TIMEOUT_MS = 1_000;

/** Creates a breaker that counts the errors of a policy. */
export const createBreaker = (policy: Policy) =>
  circuitBreaker(policy, { halfOpenAfter: HALF_OPEN_AFTER_MS, breaker: new ConsecutiveBreaker(MAX_CONSECUTIVE_FAILURES) });

/** Errors that count as failures of the endpoint. Any other error is a response of the endpoint. */
export const ENDPOINT_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
]);

/** A mismatched result is not a failure of the endpoint: its other results may be correct. */
const isEndpointFailure = (outcome: RpcOutcome): boolean =>
  'error' in outcome && !outcome.rpcError && !outcome.isMismatch && ENDPOINT_FAILURES.has(outcome.error.code);

/** Whether an outcome proves nothing about the endpoint: the call was not sent, or the endpoint may still work on it. */
const isInconclusive = (outcome: RpcOutcome): boolean =>
  'error' in outcome && (outcome.unsent === true || outcome.isHeavyTimeout === true);

/** Wraps an endpoint in a circuit breaker. While the breaker is open, `probe` runs repeatedly; the breaker closes when `probe` resolves. */
export function withCircuitBreaker(transport: HttpRpcTransport, probe: (signal: AbortSignal) => Promise<unknown>) {
  const breaker = createBreaker(handleAll);
  let isProbing = false;
  let isClosed = false;

  const probeUntilRecovered = async () => {
    isProbing = true;
    while (breaker.state !== CircuitState.Closed && !isClosed) {
      await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
      await breaker.execute(() => withTimeout(PROBE_TIMEOUT_MS, probe)).catch(() => {});
    }
    isProbing = false;
  };
  // Each failed probe is another `onBreak`; one loop of probes is enough.
  breaker.onBreak(() => void (isProbing || probeUntilRecovered()));

  const recordOutcomes = async (outcomes: readonly RpcOutcome[]): Promise<void> => {
    const hasFailed = outcomes.every((outcome) => isEndpointFailure(outcome) || isInconclusive(outcome));
    // Rejects with the failure that the breaker has counted.
    await breaker.execute(() => (hasFailed ? Promise.reject(new Error('the endpoint failed')) : undefined)).catch(() => {});
  };

  return {
    label: transport.label,
    capabilities: new EndpointCapabilities(),
    /** Whether the breaker is open or half open. */
    get isOpen(): boolean {
      return breaker.state !== CircuitState.Closed;
    },
    /** As `HttpRpcTransport.send`; fails at once with UPSTREAM_CIRCUIT_OPEN while the breaker is open. */
    async send(calls: readonly RpcCall[], signal: AbortSignal, budget?: OperationBudget): Promise<RpcOutcome[]> {
      if (breaker.state !== CircuitState.Closed) return calls.map(circuitOpenOutcome);
      const outcomes = await transport.send(calls, signal, budget);
      // An abort by the operation is not a failure of the endpoint. An open breaker waits for its own probe.
      const isConclusive = !signal.aborted && !outcomes.every(isInconclusive);
      if (isConclusive && breaker.state === CircuitState.Closed) await recordOutcomes(outcomes);
      return outcomes;
    },
    async close(): Promise<void> {
      isClosed = true;
      await transport.close();
    },
  };
}

/** One endpoint behind a circuit breaker, which probes a failed endpoint and uses it again as soon as a probe succeeds. */
export type RpcEndpoint = ReturnType<typeof withCircuitBreaker>;

const CIRCUIT_OPEN_MESSAGE = `The node has failed ${MAX_CONSECUTIVE_FAILURES} times in a row; requests to it are suspended. Retry later.`;

const circuitOpenOutcome = ({ method }: RpcCall): RpcOutcome => ({
  error: new GraphError('UPSTREAM_CIRCUIT_OPEN', CIRCUIT_OPEN_MESSAGE, { method, retryAfterMs: HALF_OPEN_AFTER_MS }),
  unsent: true,
});
