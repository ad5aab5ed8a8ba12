import { GraphError } from '../../errors.ts';
import { type RpcCall, type RpcOutcome, resultOutcome } from './http-transport.ts';
import { errorFromRpcError, type NodeRpcError, rpcErrorIn } from './rpc-errors.ts';

/** What has been asked over one socket and not yet been answered. Nothing is kept of a call once it is settled. */
export interface WebSocketRequests {
  /** As `Connection.send`. */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /** Asks one thing, without a deadline. `settle` runs before anything else is read that the node has sent. */
  sendWithoutDeadline(call: RpcCall, settle: (outcome: RpcOutcome) => void): void;
  /** Takes a message for a reply; what is none is dropped. `alone` says that its frame held nothing else. */
  receive(message: unknown, alone: boolean): void;
  /** Settles all that is open, and from then on whatever is asked, with this error. */
  close(reason: GraphError): void;
  /** How many calls are open. */
  readonly inFlightCount: number;
}

export interface WebSocketRequestsOptions {
  readonly write: (payload: unknown) => void;
  /** Most calls in one frame. */
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
}

interface InFlightRequest {
  readonly id: number;
  readonly call: RpcCall;
  readonly settle: (outcome: RpcOutcome) => void;
  /** The calls that it travelled with in one frame. */
  batch: readonly InFlightRequest[] | undefined;
}

/** Opens the book of what is asked over one socket. */
export function createWebSocketRequests({ write, maxBatchSize, timeoutMs }: WebSocketRequestsOptions): WebSocketRequests {
  const open = new Map<number, InFlightRequest>();
  /** Batches of which the node has answered nothing so far: an error without an id can be about any of them. */
  const unanswered = new Set<readonly InFlightRequest[]>();
  let lastId = 0;
  let singly = false;
  let over: GraphError | undefined;

  const settle = (request: InFlightRequest, outcome: RpcOutcome): void => {
    if (!open.delete(request.id)) return;
    if (request.batch) unanswered.delete(request.batch);
    request.settle(outcome);
  };

  const register = (call: RpcCall, settle: (outcome: RpcOutcome) => void): InFlightRequest => {
    const request: InFlightRequest = { id: ++lastId, call, settle, batch: undefined };
    open.set(request.id, request);
    return request;
  };

  const dispatch = (requests: readonly InFlightRequest[]): void => {
    try {
      write(requests.length === 1 ? toWireRequest(requests[0]!) : requests.map(toWireRequest));
    } catch (cause) {
      const error = new GraphError('INTERNAL_SERVER_ERROR', 'The request to the node failed.', { cause });
      for (const request of requests) settle(request, { error });
      return;
    }
    if (requests.length === 1) return;
    unanswered.add(requests);
    for (const request of requests) request.batch = requests;
  };

  /** What a node refuses as a batch is asked once more in single frames, within its old deadline; a rate limit ends it. */
  const refuse = (refused: readonly InFlightRequest[], rpcError: NodeRpcError): void => {
    unanswered.delete(refused);
    const limited = rpcError.code === -32005 || rpcError.code === 429;
    singly ||= !limited;
    for (const request of refused) {
      if (!open.has(request.id)) continue;
      if (limited) settle(request, { error: errorFromRpcError(request.call.method, rpcError), rpcError });
      else dispatch([request]);
    }
  };

  return {
    send(calls, signal) {
      const early = over ?? (signal.aborted ? toAbortError(signal) : undefined);
      if (early || calls.length === 0) return Promise.resolve(calls.map(() => ({ error: early! })));
      return new Promise((resolve) => {
        const outcomes: RpcOutcome[] = [];
        let missing = calls.length;
        const requests = calls.map((call, i) =>
          register(call, (outcome) => {
            outcomes[i] = outcome;
            missing -= 1;
            if (missing > 0) return;
            clearTimeout(deadline);
            signal.removeEventListener('abort', giveUp);
            resolve(outcomes);
          }),
        );
        const deadline = setTimeout(() => {
          for (const request of requests) settle(request, { error: timeoutError(request.call.method) });
        }, timeoutMs);
        const giveUp = () => {
          const error = toAbortError(signal);
          for (const request of requests) settle(request, { error });
        };
        signal.addEventListener('abort', giveUp, { once: true });
        const size = singly ? 1 : maxBatchSize;
        for (let from = 0; from < requests.length; from += size) dispatch(requests.slice(from, from + size));
      });
    },

    sendWithoutDeadline(call, settle) {
      if (over) settle({ error: over });
      else dispatch([register(call, settle)]);
    },

    receive(message, alone) {
      if (typeof message !== 'object' || message === null || 'method' in message) return;
      const wire = rpcErrorIn(message);
      const id = 'id' in message ? message.id : null;
      if (wire && id === null) for (const refused of [...unanswered]) refuse(refused, wire);
      const request = open.get(numericId(id));
      if (!request) return;
      const { batch } = request;
      // geth refuses a batch that is too large under the id of its first call.
      if (alone && wire && batch && unanswered.has(batch) && /batch/i.test(String(wire.message))) refuse(batch, wire);
      else settle(request, replyOutcome(message, request.call));
    },

    close(reason) {
      over ??= reason;
      for (const request of [...open.values()]) settle(request, { error: over });
    },

    get inFlightCount() {
      return open.size;
    },
  };
}

const toWireRequest = ({ id, call: { method, params } }: InFlightRequest) => ({ jsonrpc: '2.0', id, method, params });

/** An id, which some nodes send back as text; NaN when it cannot be one of ours. */
const numericId = (id: unknown): number =>
  typeof id === 'number' ? id : typeof id === 'string' && /^[0-9]+$/.test(id) ? Number(id) : Number.NaN;

function replyOutcome(reply: object, call: RpcCall): RpcOutcome {
  const rpcError = rpcErrorIn(reply);
  return rpcError ? { error: errorFromRpcError(call.method, rpcError), rpcError } : resultOutcome(reply, call);
}

/** Our error for an answer that did not come in time. */
export const timeoutError = (method: string): GraphError =>
  new GraphError('UPSTREAM_TIMEOUT', 'The node took too long to answer.', { method });

/** Why a signal fell, as an error of the closed list. */
export const toAbortError = ({ reason }: AbortSignal): GraphError =>
  reason instanceof GraphError
    ? reason
    : new GraphError('UPSTREAM_UNAVAILABLE', 'The request to the node was given up.', { cause: reason });
