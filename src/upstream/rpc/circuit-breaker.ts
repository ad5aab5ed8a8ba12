import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { type ErrorCode, GraphError } from '../../errors.ts';
import type { CallMeter } from '../call-meter.ts';
import type { HttpRpcTransport, RpcCall, RpcOutcome } from './http-transport.ts';
import { createLogFilterDialect, type LogFilterDialect } from './log-filter-dialect.ts';
import { StateByHashSupport } from './state-by-hash-support.ts';

/** What has been learnt about a node; it is kept for all operations. */
export interface EndpointCapabilities {
  /** Methods that the node said it does not have, or the name of a family of them. */
  readonly unsupportedMethods: Set<string>;
  /** Whether it reads state at a block hash (EIP-1898). */
  readonly stateByHash: StateByHashSupport;
  /** What it calls the hash of a block in a filter of logs. */
  readonly logFilterDialect: LogFilterDialect;
}

/** One endpoint behind a circuit breaker: left alone while it is dead, looked at from time to time, back as soon as it answers. */
export interface RpcEndpoint {
  readonly label: string;
  readonly capabilities: EndpointCapabilities;
  readonly isOpen: boolean;
  /** As `JsonRpc.send`; fails at once with UPSTREAM_CIRCUIT_OPEN while the endpoint is dead. */
  send(calls: readonly RpcCall[], signal: AbortSignal, meter?: CallMeter): Promise<RpcOutcome[]>;
  close(): Promise<void>;
}

/** So many failures in a row, and the endpoint counts as dead. */
export const MAX_CONSECUTIVE_FAILURES = 5;
/** How long a dead endpoint rests, and how often it is then looked at: back within two seconds of its return, with one probe lost. */
export const HALF_OPEN_AFTER_MS = 500;
const PROBE_INTERVAL_MS = 250;
const PROBE_TIMEOUT_MS = 1_000;

/** Failures of the endpoint itself; whatever else it answers, it is alive. */
export const ENDPOINT_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
]);

class EndpointFailure extends Error {
  readonly outcomes: RpcOutcome[];

  constructor(outcomes: RpcOutcome[]) {
    super('the endpoint failed');
    this.outcomes = outcomes;
  }
}

/** An endpoint that sends a wrong result is alive: its other results may be right. */
const isEndpointFailure = (outcomes: readonly RpcOutcome[]): boolean =>
  outcomes.every(
    (outcome) => 'error' in outcome && !outcome.rpcError && !outcome.isMismatch && ENDPOINT_FAILURES.has(outcome.error.code),
  );

/** Puts a breaker before an endpoint. `probe` is asked while it is open; it resolves when the endpoint is fit for use again. */
export function withCircuitBreaker(rpc: HttpRpcTransport, probe: (signal: AbortSignal) => Promise<unknown>): RpcEndpoint {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: HALF_OPEN_AFTER_MS,
    breaker: new ConsecutiveBreaker(MAX_CONSECUTIVE_FAILURES),
  });
  let looking = false;
  let closed = false;

  const look = async () => {
    looking = true;
    while (breaker.state !== CircuitState.Closed && !closed) {
      await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
      await breaker.execute(() => withTimeout(PROBE_TIMEOUT_MS, probe)).catch(() => {});
    }
    looking = false;
  };
  // A probe that fails breaks the circuit anew; one look-out is enough.
  breaker.onBreak(() => void (looking || look()));

  return {
    label: rpc.label,
    capabilities: {
      unsupportedMethods: new Set(),
      stateByHash: new StateByHashSupport(),
      logFilterDialect: createLogFilterDialect(),
    },
    get isOpen() {
      return breaker.state !== CircuitState.Closed;
    },
    async send(calls, signal, meter) {
      if (breaker.state !== CircuitState.Closed) return calls.map(circuitOpenOutcome);
      try {
        return await breaker.execute(async () => {
          const outcomes = await rpc.send(calls, signal, meter);
          // An operation that was given up says nothing about the endpoint.
          if (isEndpointFailure(outcomes) && !signal.aborted) throw new EndpointFailure(outcomes);
          return outcomes;
        });
      } catch (error) {
        return error instanceof EndpointFailure ? error.outcomes : calls.map(circuitOpenOutcome);
      }
    },
    async close() {
      closed = true;
      await rpc.close();
    },
  };
}

const circuitOpenOutcome = ({ method }: RpcCall): RpcOutcome => ({
  error: new GraphError('UPSTREAM_CIRCUIT_OPEN', 'The node has failed several times in a row and is left alone for a moment.', {
    method,
    retryAfterMs: HALF_OPEN_AFTER_MS,
  }),
  unsent: true,
});

/** Runs something under a signal that falls by itself. */
export async function withTimeout<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new GraphError('UPSTREAM_TIMEOUT', 'The node took too long to answer.')), ms);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
