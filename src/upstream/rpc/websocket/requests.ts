import { type Cancellation, onAbort } from '../../../lib/abort.ts';
import type { GraphError } from '../../../lib/errors.ts';
import { HeaderChecks, type ResultChecks } from '../header-check-policy.ts';
import { outcomeOfEntry } from '../http/batches.ts';
import { type NodeRpcError, numericId, type RpcCall, type RpcOutcome, rpcErrorIn } from '../rpc-call.ts';
import { errorFromRpcError, isUnavailable, timeoutError, toAbortError } from '../rpc-errors.ts';

export interface WebSocketRequestsOptions {
  readonly write: (payload: unknown) => void;
  /** Maximum number of calls in one frame. */
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
  /** Checks of results against block headers. @default mode `on` */
  readonly headerChecks?: ResultChecks | undefined;
}

interface InFlightRequest {
  readonly id: number;
  readonly call: RpcCall;
  readonly settle: (outcome: RpcOutcome) => void;
  /**
   * All requests of the frame, while none of them has a response; undefined for a frame with one request. An error
   * without an id can be about each batch whose requests have no response.
   */
  unansweredBatch: readonly InFlightRequest[] | undefined;
}

/** Creates the registry of the requests in flight on one WebSocket. */
export function createWebSocketRequests(options: WebSocketRequestsOptions) {
  const { write, maxBatchSize, timeoutMs, headerChecks = new HeaderChecks('on') } = options;
  const inFlight = new Map<number, InFlightRequest>();
  let lastId = 0;
  let rejectsBatches = false;
  let closeReason: GraphError | undefined;

  const settleRequest = (request: InFlightRequest, outcome: RpcOutcome): void => {
    if (!inFlight.delete(request.id)) return;
    for (const other of request.unansweredBatch ?? []) other.unansweredBatch = undefined;
    request.settle(outcome);
  };

  const register = (call: RpcCall, settle: (outcome: RpcOutcome) => void): InFlightRequest => {
    const request: InFlightRequest = { id: ++lastId, call, settle, unansweredBatch: undefined };
    inFlight.set(request.id, request);
    return request;
  };

  const dispatch = (requests: readonly InFlightRequest[]): void => {
    for (const request of requests) request.unansweredBatch = requests.length > 1 ? requests : undefined;
    write(requests.length === 1 ? toWireRequest(requests[0]!) : requests.map(toWireRequest));
  };

  /** Resends a rejected batch in single frames, with the original timeout; a rate limit, a quota or an outage fails its calls instead. */
  const handleBatchRejection = (batch: readonly InFlightRequest[], rpcError: NodeRpcError): void => {
    const isRefusal = isUnavailable(errorFromRpcError('', rpcError));
    rejectsBatches ||= !isRefusal;
    for (const request of batch) {
      if (isRefusal) settleRequest(request, { error: errorFromRpcError(request.call.method, rpcError), rpcError });
      else dispatch([request]);
    }
  };

  return {
    /** See `NodeConnection.send`. */
    send(calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]> {
      const earlyError = closeReason ?? (signal.aborted ? toAbortError(signal) : undefined);
      if (earlyError || calls.length === 0) return Promise.resolve(calls.map(() => ({ error: earlyError! })));
      return new Promise((resolve) => {
        const outcomes: RpcOutcome[] = [];
        let missing = calls.length;
        const requests = calls.map((call, i) =>
          register(call, (outcome) => {
            outcomes[i] = outcome;
            missing -= 1;
            if (missing > 0) return;
            clearTimeout(timer);
            unregister();
            resolve(outcomes);
          }),
        );
        const settleMissing = (errorOf: (method: string) => GraphError): void => {
          for (const request of requests) settleRequest(request, { error: errorOf(request.call.method) });
        };
        const timer = setTimeout(() => settleMissing(timeoutError), timeoutMs);
        const unregister = onAbort(signal, () => settleMissing(() => toAbortError(signal)));
        const size = rejectsBatches ? 1 : maxBatchSize;
        for (let from = 0; from < requests.length; from += size) dispatch(requests.slice(from, from + size));
      });
    },

    /** Sends one call without a timeout. `settle` runs before the next message of the node is processed. */
    sendWithoutDeadline(call: RpcCall, settle: (outcome: RpcOutcome) => void): void {
      if (closeReason) settle({ error: closeReason });
      else dispatch([register(call, settle)]);
    },

    /** Processes a response; ignores any other message. `isOnlyMessage`: its frame contains no other message. */
    receive(message: unknown, isOnlyMessage: boolean): void {
      if (typeof message !== 'object' || message === null || 'method' in message) return;
      const rpcError = rpcErrorIn(message);
      const id = 'id' in message ? message.id : null;
      const request = inFlight.get(numericId(id));
      // geth rejects a batch that is too large under the id of its first call.
      const isBatchError = isOnlyMessage && rpcError && /batch/i.test(String(rpcError.message));
      const rejected = id === null ? [...inFlight.values()] : isBatchError && request ? [request] : [];
      const batches = new Set(rejected.flatMap(({ unansweredBatch }) => (unansweredBatch ? [unansweredBatch] : [])));
      if (rpcError) for (const batch of batches) handleBatchRejection(batch, rpcError);
      if (request && batches.size === 0) settleRequest(request, outcomeOfEntry(message, request.call, headerChecks));
    },

    /** Settles all calls in flight, and every later call, with this error. */
    close(reason: GraphError): void {
      closeReason = reason;
      for (const request of [...inFlight.values()]) settleRequest(request, { error: reason });
    },

    /** Number of calls in flight. */
    get inFlightCount(): number {
      return inFlight.size;
    },
  };
}

/** The requests in flight on one WebSocket. A settled call is removed completely. */
export type WebSocketRequests = ReturnType<typeof createWebSocketRequests>;

const toWireRequest = ({ id, call: { method, params } }: InFlightRequest) => ({ jsonrpc: '2.0', id, method, params });
