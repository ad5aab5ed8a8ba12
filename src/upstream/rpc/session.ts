import type { GraphError } from '../../lib/errors.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { isRetryable, type PlannedRetry, type RetryBudget, retryAfterMsOf, retryTransient } from '../../lib/retry.ts';
import type { RpcEndpoint } from './circuit-breaker.ts';
import type { EndpointCapabilities } from './endpoint-capabilities.ts';
import type { RpcCall, RpcOutcome } from './rpc-call.ts';

/** Access of one operation to a node. It stays on the first endpoint that responds, so that all results come from the same one. */
export interface RpcSession {
  /** Capabilities of the endpoint that this session uses. */
  readonly capabilities: EndpointCapabilities;
  /** Sends reads; retries transient failures until the signal aborts. Never rejects. */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /** Sends one call that must not be executed twice. Never rejects. */
  sendOnce(call: RpcCall, signal: AbortSignal): Promise<RpcOutcome>;
}

export interface RpcSessionOptions {
  /** Number of preferred endpoints to skip while others are usable, for a caller that has seen them report a wrong head. */
  readonly skip?: number;
  /** Counts the requests of the session. */
  readonly budget?: OperationBudget | undefined;
}

/** One endpoint of a node. */
export interface NodeEndpoint {
  readonly rpc: RpcEndpoint;
  /** Sends calls after the chain of the endpoint has been verified. Never rejects. */
  send(calls: readonly RpcCall[], signal: AbortSignal, budget: OperationBudget | undefined): Promise<RpcOutcome[]>;
}

/** State that all sessions of a node share. */
export interface SessionContext {
  /** At least one, in the order of preference. */
  readonly endpoints: readonly NodeEndpoint[];
  readonly retryBudget: RetryBudget;
  /** The error of every call once the node is disabled. */
  readonly fatalError: () => GraphError | undefined;
  readonly onRetry: () => void;
}

/** A class because an object literal with a getter is slow to create, and each operation creates a session (docs/decisions/0008). */
class StickySession implements RpcSession {
  readonly send: RpcSession['send'];
  readonly sendOnce: RpcSession['sendOnce'];
  readonly #capabilities: () => EndpointCapabilities;

  constructor(capabilities: () => EndpointCapabilities, { send, sendOnce }: Pick<RpcSession, 'send' | 'sendOnce'>) {
    this.#capabilities = capabilities;
    this.send = send;
    this.sendOnce = sendOnce;
  }

  get capabilities(): EndpointCapabilities {
    return this.#capabilities();
  }
}

/** Creates a session. It sends nothing before the first call. */
export function createSession(context: SessionContext, { skip = 0, budget }: RpcSessionOptions): RpcSession {
  const { endpoints, retryBudget, fatalError, onRetry } = context;
  /** The endpoint that responded first. */
  let chosen: NodeEndpoint | undefined;
  let firstSend: Promise<unknown> | undefined;

  const usableAfterSkip = () => {
    const usable = endpoints.filter(({ rpc }) => !rpc.isOpen);
    return usable[skip % usable.length];
  };
  const preferred = () => chosen ?? (skip === 0 ? endpoints.find(({ rpc }) => !rpc.isOpen) : usableAfterSkip()) ?? endpoints[0]!;

  const sendTo = async (endpoint: NodeEndpoint, calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> => {
    const outcomes = await endpoint.send(calls, signal, budget);
    if (outcomes.some(isNodeResponse)) chosen ??= endpoint;
    return outcomes;
  };

  const send = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> => {
    const endpoint = preferred();
    retryBudget.deposit();
    const outcomes = await sendTo(endpoint, calls, signal);
    const isRetried = (outcome: RpcOutcome) => isTransient(outcome, 1) || (endpoints.length > 1 && isPruned(outcome));
    return outcomes.some(isRetried) ? retry(endpoint, calls, outcomes, signal) : outcomes;
  };

  /**
   * Repeats the calls with transient failures: after a backoff on the chosen endpoint, else at once on the next usable one. Calls with a
   * mismatched result, or for pruned history, move to the next usable endpoint even if one is chosen.
   */
  const retry = (
    firstEndpoint: NodeEndpoint,
    calls: readonly RpcCall[],
    firstOutcomes: RpcOutcome[],
    signal: AbortSignal,
  ): Promise<RpcOutcome[]> => {
    let endpoint = firstEndpoint;
    /** Endpoints without the requested history. */
    const pruned = new Set<NodeEndpoint>();
    const planRetry = (outcomes: RpcOutcome[], attempts: number): PlannedRetry<RpcOutcome[]> | undefined => {
      if (outcomes.some(isPruned)) pruned.add(endpoint);
      const other = nextUsable(endpoint);
      const isRepeated = (outcome: RpcOutcome) => isTransient(outcome, attempts) || (isPruned(outcome) && !pruned.has(other));
      const failed = [...outcomes.keys()].filter((i) => isRepeated(outcomes[i]!));
      if (failed.length === 0) return undefined;
      const needsOther = failed.some((i) => isMismatch(outcomes[i]!) || isPruned(outcomes[i]!));
      const preferredNext = chosen && !needsOther ? chosen : other;
      const next = [preferredNext, other].find((candidate) => !pruned.has(candidate)) ?? endpoint;
      const isSameEndpoint = next === endpoint;
      return {
        minDelayMs: isSameEndpoint ? maxRetryAfterMs(failed, outcomes) : undefined,
        // The endpoint has responded, so these retries do not prolong an outage.
        isFree: needsOther && !isSameEndpoint,
        isSearch: !pruned.has(next) && failed.every((i) => isPruned(outcomes[i]!)),
        async send() {
          endpoint = next;
          onRetry();
          const repeatedCalls = failed.map((i) => (isPruned(outcomes[i]!) ? { ...calls[i]!, onResult: undefined } : calls[i]!));
          const repeated = await sendTo(next, repeatedCalls, signal);
          failed.forEach((i, position) => {
            outcomes[i] = moreConclusive(outcomes[i]!, repeated[position]!);
          });
          return outcomes;
        },
      };
    };
    return retryTransient(firstOutcomes, retryBudget, signal, planRetry);
  };

  const nextUsable = (endpoint: NodeEndpoint): NodeEndpoint => {
    const index = endpoints.indexOf(endpoint);
    const others = [...endpoints.slice(index + 1), ...endpoints.slice(0, index)];
    return others.find(({ rpc }) => !rpc.isOpen) ?? endpoint;
  };

  return new StickySession(() => preferred().rpc.capabilities, {
    async send(calls, signal) {
      const fatal = fatalError();
      if (fatal) return calls.map(() => ({ error: fatal }));
      // Calls that follow while the first response is pending wait for it, because it decides on the endpoint.
      if (!chosen && firstSend) await firstSend;
      const sent = send(calls, signal);
      firstSend ??= sent;
      return sent;
    },
    async sendOnce(call, signal) {
      const fatal = fatalError();
      if (fatal) return { error: fatal, unsent: true };
      const first = preferred();
      let [outcome] = await first.send([call], signal, budget);
      for (const endpoint of endpoints.filter((other) => other !== first)) {
        if (!isUnsent(outcome!) || signal.aborted) break;
        [outcome] = await endpoint.send([call], signal, budget);
      }
      return outcome!;
    },
  });
}

/** Whether the node itself has responded, with a result or an error. */
const isNodeResponse = (outcome: RpcOutcome): boolean => !('error' in outcome) || outcome.rpcError !== undefined;

/** Whether the call was certainly not sent, so that another endpoint may receive it. */
const isUnsent = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.unsent === true;

const isMismatch = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.isMismatch === true;

const isPruned = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'HISTORY_PRUNED';

/** Prefers the outcome of the next endpoint, but its null or its permanent error does not show that the history exists nowhere. */
const moreConclusive = (first: RpcOutcome, next: RpcOutcome): RpcOutcome =>
  isPruned(first) && ('error' in next ? !isTransient(next, 1) : next.result === null) ? first : next;

const isTransient = (outcome: RpcOutcome, attempts: number): boolean =>
  'error' in outcome && isRetryable(outcome.error, attempts);

const maxRetryAfterMs = (indexes: readonly number[], outcomes: readonly RpcOutcome[]): number =>
  Math.max(
    0,
    ...indexes.map((i) => {
      const outcome = outcomes[i]!;
      return 'error' in outcome ? retryAfterMsOf(outcome.error) : 0;
    }),
  );
