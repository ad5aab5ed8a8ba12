import { Pool } from 'undici';
import type { Cancellation } from '../../../lib/abort.ts';
import { parseEndpoint } from '../../../lib/endpoint.ts';
import { GraphError, toGraphError } from '../../../lib/errors.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import { ConnectionQueue } from '../../connection-queue.ts';
import { type JsonResponse, OversizedResponseError, type UpstreamIdentity } from '../../http-exchange.ts';
import { jsonHeadersOf, observeRequest, sendHttpRequest, type UpstreamObserver } from '../../http-request.ts';
import { HeaderChecks, type ResultChecks } from '../header-check-policy.ts';
import { oversizedSearchError } from '../log-range-limit.ts';
import { isJsonRpc, type RpcCall, type RpcFailure, type RpcOutcome, rpcErrorIn } from '../rpc-call.ts';
import { errorFromResponse, errorFromRpcError, isRejectedStatus, isUnavailable, toAbortError } from '../rpc-errors.ts';
import {
  BatchLimits,
  type CallBatch,
  computeUnitsOf,
  cutIntoBatches,
  entryId,
  isHeavy,
  isRangeSearch,
  isResponseTooLarge,
  isTrace,
  outcomeOfEntry,
  oversizedTraceError,
  PASSED_ON,
  passResultOn,
  serializeBatch,
} from './batches.ts';

/**
 * Whether a response that is not a list rejects the batch because it is a batch, not because of a rate limit, a quota,
 * credentials or an outage.
 */
function rejectsBatch({ status, body }: JsonResponse): boolean {
  const error = rpcErrorIn(body);
  if (/batch/i.test(String(error?.message))) return true;
  if (error && isUnavailable(errorFromRpcError('', error))) return false;
  if (status === 200) return error !== undefined;
  return status >= 400 && status < 500 && !isRejectedStatus(status) && ![403, 404, 408].includes(status);
}

/** Unwraps the list of one error, under the id of the first call, with which geth rejects a batch that is too large. */
function unwrapBatchError(response: JsonResponse): JsonResponse {
  if (!Array.isArray(response.body) || response.body.length !== 1) return response;
  const body: unknown = response.body[0];
  return /batch/i.test(String(rpcErrorIn(body)?.message)) ? { ...response, body } : response;
}

/** The operation that sends calls. */
interface CallOperation {
  readonly signal: Cancellation;
  readonly budget: OperationBudget | undefined;
}

export interface HttpRpcTransportOptions {
  readonly url: string;
  /** Maximum number of calls in one POST. */
  readonly maxBatchSize: number;
  /** Timeout of one POST in milliseconds, from the time when it is sent. @default 5000 */
  readonly timeoutMs?: number;
  /** Counts the entries of batch responses that match no call of the batch; these entries are dropped. */
  readonly counts?: { unmatchedResponses: number };
  readonly observer?: UpstreamObserver | undefined;
  /** Checks of results against block headers. @default mode `on` */
  readonly headerChecks?: ResultChecks;
}

/**
 * Connections of an endpoint. Heavy POSTs use at most four connections, which are the fastest for them: the node would
 * queue the requests of further connections. Sixteen take 0.9 of the CPU of six while sixteen operations execute, because
 * no light POST waits and a turn of the event loop handles more responses.
 */
const CONNECTIONS = { connections: 16, heavyConnections: 4 };

const HTTP_PAYLOAD_TOO_LARGE = 413;

const NODE: UpstreamIdentity = { name: 'The node', source: 'node' };

/** Creates a transport with a few keep-alive connections. It sends nothing before the first call. */
export function createHttpRpcTransport(options: HttpRpcTransportOptions) {
  const { url, maxBatchSize, timeoutMs = 5_000, counts, observer, headerChecks = new HeaderChecks('on') } = options;
  const endpoint = parseEndpoint(url);
  // Each POST has its own timeout, which covers the whole request; the timeouts of the pool only cover pauses.
  const pool = new Pool(endpoint.origin, { connections: CONNECTIONS.connections, headersTimeout: 0, bodyTimeout: 0 });
  const queue = new ConnectionQueue(CONNECTIONS);
  const limits = new BatchLimits(maxBatchSize);
  const { path } = endpoint;
  const headers = jsonHeadersOf(endpoint);
  // The message limit of geth.
  const maxResponseBytes = 32 * 1024 * 1024;
  let lastId = 0;

  /** Sends a batch as soon as it has a connection. The time in the queue is not part of the timeout. */
  const post = async (
    batch: CallBatch,
    firstId: number,
    operation: CallOperation,
    onEntries?: (entries: readonly unknown[]) => void,
  ): Promise<JsonResponse | RpcFailure> => {
    const { signal, budget } = operation;
    const heavy = isHeavy(batch);
    try {
      if (signal.aborted) return { error: toAbortError(signal), unsent: true };
      if (!queue.tryAcquire(heavy)) await queue.wait(heavy, batch.bytes, signal);
    } catch (error) {
      return { error: error instanceof GraphError ? error : toAbortError(signal), unsent: true };
    }
    try {
      if (budget?.error) return { error: budget.error, unsent: true };
      budget?.recordRequest(batch.calls.length, computeUnitsOf(batch.calls));
      return await observeRequest(
        observer,
        { upstream: 'node', label: endpoint.label, route: 'POST', calls: batch.calls, trace: budget?.trace },
        (traceHeaders) => {
          const sentHeaders = traceHeaders ? { ...headers, ...traceHeaders } : headers;
          const body = serializeBatch(batch, firstId);
          // Written out, because copying an object with further properties takes microseconds.
          const request = { path, headers: sentHeaders, body, timeoutMs, maxResponseBytes, budget, onEntries };
          return sendHttpRequest(pool, request, signal, NODE);
        },
        (response) => (isJsonRpc(response) ? 'ok' : errorFromResponse('', response).code),
      );
    } catch (cause) {
      const error = toGraphError(cause, 'INTERNAL_SERVER_ERROR', 'The request to the node failed.');
      // The size is no failure of the endpoint: its other results may be short.
      if (error instanceof OversizedResponseError) return { error, isMismatch: true };
      return heavy && error.code === 'UPSTREAM_TIMEOUT' ? { error, isHeavyTimeout: true } : { error };
    } finally {
      queue.release(heavy);
    }
  };

  const sendBatch = async (batch: CallBatch, operation: CallOperation): Promise<RpcOutcome[]> => {
    const { calls, bytes } = batch;
    const single = calls.length === 1 ? calls[0]! : undefined;
    const firstId = lastId + 1;
    lastId += calls.length;
    const outcomes: (RpcOutcome | undefined)[] = calls.map(() => undefined);
    /** Entries that arrived before the end of the response and that no call received. */
    const others: unknown[] = [];
    const onEntries = (entries: readonly unknown[]): void => {
      for (const entry of entries) {
        const index = entryId(entry) - firstId;
        const passed = outcomes[index] ? undefined : passResultOn(entry, calls[index], headerChecks);
        if (passed) outcomes[index] = passed;
        else others.push(entry);
      }
    };
    const posted = await post(batch, firstId, operation, single ? undefined : onEntries);
    if ('error' in posted) {
      // Only a search can be narrowed, and one of several traces may be short; for other calls, each half could again be a download of the maximum size.
      const isDivisible = (call: RpcCall) => isRangeSearch(call) || isTrace(call);
      if (!(posted.error instanceof OversizedResponseError && calls.some(isDivisible)))
        return outcomes.map((outcome) => outcome ?? posted);
      if (single) return [{ error: isTrace(single) ? oversizedTraceError(single.method) : oversizedSearchError() }];
      const unsettled = calls.filter((_call, i) => !outcomes[i]);
      const resent = await sendInBatches(unsettled, Math.ceil(calls.length / 2), operation);
      return outcomes.map((outcome) => outcome ?? resent.shift()!);
    }
    if (single) {
      const { body } = posted;
      const entry: unknown = Array.isArray(body) ? body.find((candidate) => entryId(candidate) === firstId) : body;
      if (entryId(entry) !== firstId || isRejectedStatus(posted.status))
        return [{ error: errorFromResponse(single.method, posted) }];
      return [outcomeOfEntry(entry as object, single, headerChecks, posted.retryAfter)];
    }
    if (posted.status === HTTP_PAYLOAD_TOO_LARGE) {
      limits.recordTooLarge(bytes);
      return sendInBatches(calls, calls.length, operation);
    }
    // A node that has responded to some calls does not reject the batch: resending it would deliver their results twice.
    const response = outcomes.includes(PASSED_ON) ? posted : unwrapBatchError(posted);
    if (!Array.isArray(response.body) || response.status >= 500 || isRejectedStatus(response.status)) {
      if (!rejectsBatch(response)) {
        return outcomes.map((outcome, i) => outcome ?? { error: errorFromResponse(calls[i]!.method, response) });
      }
      return sendInBatches(calls, limits.recordRejection(calls.length), operation);
    }
    for (const entry of [...others, ...response.body]) {
      const index = entryId(entry) - firstId;
      if (index in outcomes) outcomes[index] ??= outcomeOfEntry(entry, calls[index]!, headerChecks, response.retryAfter);
      else if (counts) counts.unmatchedResponses += 1;
    }
    // A missing entry may be the fault of the batch. In a response that was too large, results precede the errors.
    const isMissing = outcomes.includes(undefined);
    const isPartial = outcomes.some((outcome) => outcome && 'result' in outcome);
    const isRepeated = (outcome: RpcOutcome | undefined) => !outcome || (isPartial && isResponseTooLarge(outcome));
    const repeated = calls.filter((_call, i) => isRepeated(outcomes[i]));
    if (repeated.length === 0) return outcomes as RpcOutcome[];
    const resent = await sendInBatches(repeated, isMissing ? 1 : Math.ceil(repeated.length / 2), operation);
    return outcomes.map((outcome) => (isRepeated(outcome) ? resent.shift()! : outcome!));
  };

  const sendInBatches = (calls: readonly RpcCall[], maxCalls: number, operation: CallOperation): Promise<RpcOutcome[]> => {
    const sent = cutIntoBatches(calls, maxCalls, limits.maxBytes).map((batch) => sendBatch(batch, operation));
    return sent.length === 1 ? sent[0]! : Promise.all(sent).then((outcomes) => outcomes.flat());
  };

  const recordOutcome = ({ method }: RpcCall, outcome: RpcOutcome): void => {
    if (!('error' in outcome)) observer!.recordCall(method, 'ok');
    else if (!outcome.unsent) observer!.recordCall(method, outcome.error.code);
  };

  return {
    /** Scheme, host and port of the node; contains no secret. */
    label: endpoint.label,
    /**
     * Sends calls together and returns their outcomes in the order of the calls; never rejects. Aborting closes the
     * connection to the node.
     */
    async send(calls: readonly RpcCall[], signal: Cancellation, budget?: OperationBudget): Promise<RpcOutcome[]> {
      const outcomes = await sendInBatches(calls, limits.maxCalls, { signal, budget });
      if (observer) for (let i = 0; i < calls.length; i++) recordOutcome(calls[i]!, outcomes[i]!);
      return outcomes;
    },
    /** State of the queue of POSTs. */
    get queueStatus() {
      return queue.status;
    },
    /** Ends requests in flight: a check of the chain may still wait for an endpoint that does not respond. */
    close: (): Promise<void> => pool.destroy(),
  };
}

/** JSON-RPC over HTTP to one endpoint of a node: sends batches and matches responses to calls. */
export type HttpRpcTransport = ReturnType<typeof createHttpRpcTransport>;
