import { GraphError } from '../../../lib/errors.ts';
import type { NodeRpcError } from '../rpc-call.ts';
import { HeaderChecks, numericId, type RpcCall, type RpcOutcome, resultOutcome } from '../rpc-call.ts';
import { errorFromRpcError, rpcErrorIn, timeoutError, toAbortError } from '../rpc-errors.ts';

export interface WebSocketRequestsOptions {
  readonly write: (payload: unknown) => void;
  /** Maximum number of calls in one frame. */
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
  readonly headerChecks?: HeaderChecks | undefined;
}

interface InFlightRequest {
  readonly id: number;
  readonly call: RpcCall;
  readonly settle: (outcome: RpcOutcome) => void;
  /** All requests of the same frame, if there are several. */
  batch: readonly InFlightRequest[] | undefined;
}

/** Creates the registry of the requests in flight on one WebSocket. */
export function createWebSocketRequests({
  write,
  maxBatchSize,
  timeoutMs,
  headerChecks = new HeaderChecks('on'),
}: WebSocketRequestsOptions) {
  const inFlight = new Map<number, InFlightRequest>();
  /** Batches without any response yet: an error without an id can be about any of them. */
  const batchesWithoutResponse = new Set<readonly InFlightRequest[]>();
  let lastId = 0;
  let rejectsBatches = false;
  let closeReason: GraphError | undefined;

  const settleRequest = (request: InFlightRequest, outcome: RpcOutcome): void => {
    if (!inFlight.delete(request.id)) return;
    if (request.batch) batchesWithoutResponse.delete(request.batch);
    request.settle(outcome);
  };

  const register = (call: RpcCall, settle: (outcome: RpcOutcome) => void): InFlightRequest => {
    const request: InFlightRequest = { id: ++lastId, call, settle, batch: undefined };
    inFlight.set(request.id, request);
    return request;
  };

  const dispatch = (requests: readonly InFlightRequest[]): void => {
    try {
      write(requests.length === 1 ? toWireRequest(requests[0]!) : requests.map(toWireRequest));
    } catch (cause) {
      const error = new GraphError('INTERNAL_SERVER_ERROR', 'The request to the node failed.', { cause });
      for (const request of requests) settleRequest(request, { error });
      return;
    }
    if (requests.length === 1) return;
    batchesWithoutResponse.add(requests);
    for (const request of requests) request.batch = requests;
  };

  /** Resends a rejected batch in single frames, with the original timeout; a rate limit fails its calls instead. */
  const handleBatchRejection = (batch: readonly InFlightRequest[], rpcError: NodeRpcError): void => {
    batchesWithoutResponse.delete(batch);
    const isRateLimit = rpcError.code === -32005 || rpcError.code === 429;
    rejectsBatches ||= !isRateLimit;
    for (const request of batch) {
      if (!inFlight.has(request.id)) continue;
      if (isRateLimit) settleRequest(request, { error: errorFromRpcError(request.call.method, rpcError), rpcError });
      else dispatch([request]);
    }
  };

  return {
    /** As `NodeConnection.send`. */
    send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> {
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
            signal.removeEventListener('abort', abort);
            resolve(outcomes);
          }),
        );
        const timer = setTimeout(() => {
          for (const request of requests) settleRequest(request, { error: timeoutError(request.call.method) });
        }, timeoutMs);
        const abort = () => {
          const error = toAbortError(signal);
          for (const request of requests) settleRequest(request, { error });
        };
        signal.addEventListener('abort', abort, { once: true });
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
      if (rpcError && id === null) for (const batch of [...batchesWithoutResponse]) handleBatchRejection(batch, rpcError);
      const request = inFlight.get(numericId(id));
      if (!request) return;
      const { batch } = request;
      // geth rejects a batch that is too large under the id of its first call.
      const isBatchError = isOnlyMessage && rpcError && /batch/i.test(String(rpcError.message));
      if (isBatchError && batch && batchesWithoutResponse.has(batch)) handleBatchRejection(batch, rpcError);
      else settleRequest(request, responseOutcome(message, request.call, headerChecks));
    },

    /** Settles all calls in flight, and every later call, with this error. */
    close(reason: GraphError): void {
      closeReason ??= reason;
      for (const request of [...inFlight.values()]) settleRequest(request, { error: closeReason });
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

function responseOutcome(response: object, call: RpcCall, headerChecks: HeaderChecks): RpcOutcome {
  const rpcError = rpcErrorIn(response);
  return rpcError ? { error: errorFromRpcError(call.method, rpcError), rpcError } : resultOutcome(response, call, headerChecks);
}
