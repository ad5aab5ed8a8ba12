import { Pool } from 'undici';
import type { OperationBudget } from '../../../budget/operation-budget.ts';
import { GraphError } from '../../../errors.ts';
import { parseEndpoint } from '../../endpoint.ts';
import { type JsonResponse, postToNode } from '../../http-request.ts';
import { parseRetryAfter } from '../../retry.ts';
import { numericId, type RpcCall, type RpcOutcome, resultOutcome, serializeParams } from '../rpc-call.ts';
import { errorFromResponse, errorFromRpcError, rpcErrorIn } from '../rpc-errors.ts';
import { BatchSizeLimit, isExplicitBatchRejection, rejectsBatch, unwrapBatchError } from './batch-rejection.ts';

/** JSON-RPC over HTTP to one endpoint of a node: sends batches and matches responses to calls. */
export interface HttpRpcTransport {
  /** Scheme, host and port of the node; contains no secret. */
  readonly label: string;
  /** Sends calls together and returns their outcomes in the same order; never rejects. Aborting closes the connection to the node. */
  send(calls: readonly RpcCall[], signal: AbortSignal, budget?: OperationBudget): Promise<RpcOutcome[]>;
  close(): Promise<void>;
}

export interface HttpRpcTransportOptions {
  readonly url: string;
  /** Maximum number of calls in one POST. */
  readonly maxBatchSize: number;
  /** Timeout of one POST. */
  readonly timeoutMs?: number;
  /** Called for each entry of a batch response that matches none of its calls; such entries are dropped. */
  readonly onUnmatchedResponse?: () => void;
}

/** A few connections are fastest for batches; the node would queue the requests of further connections. */
const MAX_POOL_CONNECTIONS = 4;

/** Creates a transport with a few keep-alive connections. It sends nothing before the first call. */
export function createHttpRpcTransport({
  url,
  maxBatchSize,
  timeoutMs = 5_000,
  onUnmatchedResponse,
}: HttpRpcTransportOptions): HttpRpcTransport {
  const endpoint = parseEndpoint(url);
  // Each POST has its own timeout, which covers the whole request; the timeouts of the pool only cover pauses.
  const pool = new Pool(endpoint.origin, { connections: MAX_POOL_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  const batchSizeLimit = new BatchSizeLimit(maxBatchSize);
  let lastId = 0;

  const post = (payload: string, signal: AbortSignal, budget: OperationBudget | undefined): Promise<JsonResponse | GraphError> =>
    postToNode(pool, endpoint, payload, signal, timeoutMs, budget).catch(toGraphError);

  const sendSingle = async (call: RpcCall, signal: AbortSignal, budget: OperationBudget | undefined): Promise<RpcOutcome> => {
    const id = ++lastId;
    budget?.recordRequest(1);
    const response = await post(serializeCall(id, call), signal, budget);
    if (response instanceof GraphError) return { error: response };
    const entry = [response.body].flat().find((candidate) => hasId(candidate, id));
    return entry === undefined ? { error: errorFromResponse(call.method, response) } : toOutcome(entry, call, response);
  };

  const sendBatch = async (
    calls: readonly RpcCall[],
    signal: AbortSignal,
    budget: OperationBudget | undefined,
  ): Promise<RpcOutcome[]> => {
    if (calls.length === 1) return [await sendSingle(calls[0]!, signal, budget)];
    budget?.recordRequest(calls.length);
    const firstId = lastId + 1;
    lastId += calls.length;
    const requests = calls.map((call, i) => serializeCall(firstId + i, call));
    const response = unwrapBatchError(await post(`[${requests.join()}]`, signal, budget), calls.length);
    if (response instanceof GraphError) return calls.map(() => ({ error: response }));
    if (!Array.isArray(response.body) || response.status >= 500 || response.status === 429) {
      if (!rejectsBatch(response)) return calls.map(({ method }) => ({ error: errorFromResponse(method, response) }));
      const size = batchSizeLimit.recordRejection(calls.length, isExplicitBatchRejection(response));
      return sendInBatches(calls, size, signal, budget);
    }
    batchSizeLimit.recordSuccess();
    const outcomes: (RpcOutcome | undefined)[] = calls.map(() => undefined);
    for (const entry of response.body) {
      const index = entryId(entry) - firstId;
      if (index in outcomes) outcomes[index] ??= toOutcome(entry, calls[index]!, response);
      else onUnmatchedResponse?.();
    }
    if (!outcomes.includes(undefined)) return outcomes as RpcOutcome[];
    return Promise.all(outcomes.map((outcome, i) => outcome ?? sendSingle(calls[i]!, signal, budget)));
  };

  const sendInBatches = async (
    calls: readonly RpcCall[],
    size: number,
    signal: AbortSignal,
    budget: OperationBudget | undefined,
  ): Promise<RpcOutcome[]> => {
    if (calls.length <= size) return calls.length === 0 ? [] : sendBatch(calls, signal, budget);
    const batches: Promise<RpcOutcome[]>[] = [];
    for (let from = 0; from < calls.length; from += size) batches.push(sendBatch(calls.slice(from, from + size), signal, budget));
    return (await Promise.all(batches)).flat();
  };

  return {
    label: endpoint.label,
    send: (calls, signal, budget) => sendInBatches(calls, batchSizeLimit.current, signal, budget),
    close: () => pool.close(),
  };
}

const serializeCall = (id: number, { method, params, paramsJson }: RpcCall): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${paramsJson ?? serializeParams(params)}}`;

const toGraphError = (error: unknown): GraphError =>
  error instanceof GraphError
    ? error
    : new GraphError('INTERNAL_SERVER_ERROR', 'The request to the node failed.', { cause: error });

const entryId = (entry: unknown): number =>
  numericId(typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined);

const hasId = (entry: unknown, id: number): entry is object => entryId(entry) === id;

function toOutcome(entry: object, call: RpcCall, { retryAfter }: JsonResponse): RpcOutcome {
  const rpcError = rpcErrorIn(entry);
  return rpcError
    ? { error: errorFromRpcError(call.method, rpcError, parseRetryAfter(retryAfter)), rpcError }
    : resultOutcome(entry, call);
}
