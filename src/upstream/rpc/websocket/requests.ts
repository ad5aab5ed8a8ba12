import { onAbort } from '../../../lib/abort.ts';
import type { GraphError } from '../../../lib/errors.ts';
import { outcomeOfEntry } from '../http/batches.ts';
import { HeaderChecks, numericId, type RpcCall, type RpcOutcome } from '../rpc-call.ts';
import { timeoutError, toAbortError } from '../rpc-errors.ts';

export interface WebSocketRequestsOptions {
  readonly write: (payload: unknown) => void;
  readonly timeoutMs: number;
  readonly headerChecks?: HeaderChecks | undefined;
}

interface InFlightRequest {
  readonly call: RpcCall;
  readonly settle: (outcome: RpcOutcome) => void;
}

/** Creates the registry of the requests in flight on one WebSocket. Each call has a frame of its own: no frame waits for the response to another. */
export function createWebSocketRequests({ write, timeoutMs, headerChecks = new HeaderChecks('on') }: WebSocketRequestsOptions) {
  const inFlight = new Map<number, InFlightRequest>();
  let lastId = 0;
  let closeReason: GraphError | undefined;

  const settleRequest = (id: number, toOutcome: (call: RpcCall) => RpcOutcome): void => {
    const request = inFlight.get(id);
    inFlight.delete(id);
    request?.settle(toOutcome(request.call));
  };

  /** Sends a call and returns its id. */
  const start = (call: RpcCall, settle: InFlightRequest['settle']): number => {
    const id = ++lastId;
    inFlight.set(id, { call, settle });
    write({ jsonrpc: '2.0', id, method: call.method, params: call.params });
    return id;
  };

  return {
    /** As `NodeConnection.send`. */
    send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> {
      const earlyError = closeReason ?? (signal.aborted ? toAbortError(signal) : undefined);
      if (earlyError || calls.length === 0) return Promise.resolve(calls.map(() => ({ error: earlyError! })));
      return new Promise((resolve) => {
        const outcomes: RpcOutcome[] = [];
        let missing = calls.length;
        const ids = calls.map((call, i) =>
          start(call, (outcome) => {
            outcomes[i] = outcome;
            missing -= 1;
            if (missing > 0) return;
            clearTimeout(timer);
            unregister();
            resolve(outcomes);
          }),
        );
        const settleMissing = (errorOf: (method: string) => GraphError): void => {
          for (const id of ids) settleRequest(id, ({ method }) => ({ error: errorOf(method) }));
        };
        const timer = setTimeout(() => settleMissing(timeoutError), timeoutMs);
        const unregister = onAbort(signal, () => settleMissing(() => toAbortError(signal)));
      });
    },

    /** Sends one call without a timeout. `settle` runs before the next message of the node is processed. */
    sendWithoutDeadline(call: RpcCall, settle: (outcome: RpcOutcome) => void): void {
      if (closeReason) settle({ error: closeReason });
      else start(call, settle);
    },

    /** Processes a response; ignores any other message. */
    receive(message: unknown): void {
      if (typeof message !== 'object' || message === null || 'method' in message || !('id' in message)) return;
      settleRequest(numericId(message.id), (call) => outcomeOfEntry(message, call, headerChecks));
    },

    /** Settles all calls in flight, and every later call, with this error. */
    close(reason: GraphError): void {
      closeReason = reason;
      for (const id of [...inFlight.keys()]) settleRequest(id, () => ({ error: reason }));
    },

    /** Number of calls in flight. */
    get inFlightCount(): number {
      return inFlight.size;
    },
  };
}

/** The requests in flight on one WebSocket. A settled call is removed completely. */
export type WebSocketRequests = ReturnType<typeof createWebSocketRequests>;
