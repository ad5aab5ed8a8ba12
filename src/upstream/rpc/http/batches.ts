import { GraphError } from '../../../lib/errors.ts';
import { ExpiringValue } from '../../../lib/expiring-value.ts';
import { parseRetryAfter } from '../../../lib/retry.ts';
import type { ResultChecks } from '../header-check-policy.ts';
import { numericId, type RpcCall, type RpcOutcome, resultOutcome, rpcErrorIn, serializeParams } from '../rpc-call.ts';
import { errorFromRpcError } from '../rpc-errors.ts';

/** Time for which batches stay reduced after a rejection, before the full size is tried again. */
const REDUCED_BATCH_MS = 60_000;
/** Divisor of the number of calls of a rejected batch. The limits of nodes are mostly powers of ten, so few steps reach them. */
const CALL_REDUCTION_FACTOR = 10;
/**
 * Divisor of the size of a request that is too large. Later batches have at least a quarter of the size that the node
 * accepts.
 */
const BYTE_REDUCTION_FACTOR = 4;

/** Tracks the largest batch that an endpoint accepts, by number of calls and by size, from its rejections. */
export class BatchLimits {
  readonly #calls: ExpiringValue<number>;
  readonly #bytes = new ExpiringValue(MAX_BATCH_BYTES);

  constructor(maxCalls: number) {
    this.#calls = new ExpiringValue(maxCalls);
  }

  /** Maximum number of calls in the next POST. */
  get maxCalls(): number {
    return this.#calls.current;
  }

  /** Maximum size of the next POST with several calls. */
  get maxBytes(): number {
    return this.#bytes.current;
  }

  /** Records the rejection of a batch of `callCount` calls and returns the size of the batches in which to resend them. */
  recordRejection(callCount: number): number {
    // As in `recordTooLarge`.
    const reducedCount = Math.min(this.maxCalls, Math.max(1, Math.floor(callCount / CALL_REDUCTION_FACTOR)));
    this.#calls.set(reducedCount, REDUCED_BATCH_MS);
    return reducedCount;
  }

  /** Records that a batch of this size is too large for the endpoint (HTTP 413). The number of calls stays. */
  recordTooLarge(bytes: number): void {
    // A batch that was sent before the last reduction must not raise the limit again.
    this.#bytes.set(Math.min(this.maxBytes, Math.floor(bytes / BYTE_REDUCTION_FACTOR)), REDUCED_BATCH_MS);
  }
}

/** Compute units of a call of a method that `METHOD_UNITS` does not name. */
export const OTHER_METHOD_UNITS = 20;

/**
 * Compute units of one call, by method, as hosted nodes publish them for billing. A node may bill other numbers;
 * docs/limits.md has the table for clients.
 */
export const METHOD_UNITS: ReadonlyMap<string, number> = new Map([
  ['eth_chainId', 0],
  ['eth_protocolVersion', 0],
  ['eth_syncing', 0],
  ['net_listening', 0],
  ['net_version', 0],
  ['eth_accounts', 10],
  ['eth_blockNumber', 10],
  ['eth_createAccessList', 10],
  ['eth_feeHistory', 10],
  ['eth_maxPriorityFeePerGas', 10],
  ['eth_call', 26],
  ['debug_traceBlockByHash', 40],
  ['debug_traceCall', 40],
  ['debug_traceTransaction', 40],
  ['trace_transaction', 40],
  ['eth_sendRawTransaction', 40],
  ['eth_getLogs', 60],
]);

/** The compute units of the calls of one POST. */
export function computeUnitsOf(calls: readonly Pick<RpcCall, 'method'>[]): number {
  let units = 0;
  for (const { method } of calls) units += METHOD_UNITS.get(method) ?? OTHER_METHOD_UNITS;
  return units;
}

/** JSON-RPC error code of geth for calls whose results no longer fit into the response to a batch. */
const RESPONSE_TOO_LARGE_CODE = -32003;

/** Outcome of a call whose result was already passed on. */
export const PASSED_ON: RpcOutcome = { result: undefined };

/**
 * Passes the result in an entry of a batch to its call. Returns undefined for an error of the node, and for a call that does
 * not receive its result early.
 */
export function passResultOn(entry: unknown, call: RpcCall | undefined, headerChecks: ResultChecks): RpcOutcome | undefined {
  if (!call?.onResult) return undefined;
  const outcome = outcomeOfEntry(entry as object, call, headerChecks);
  if ('error' in outcome) return outcome.isMismatch && outcome;
  call.onResult(call, outcome.result);
  return PASSED_ON;
}

/** Whether a call failed because the response to its batch is too large: geth refuses the calls after the one that exceeds 25 MB. */
export const isResponseTooLarge = (outcome: RpcOutcome): boolean =>
  'error' in outcome && outcome.rpcError?.code === RESPONSE_TOO_LARGE_CODE;

/** The id of an entry; NaN without a usable id. */
export const entryId = (entry: unknown): number =>
  numericId(typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined);

/**
 * Returns the outcome of a call from its response entry, whose error counts also beside `result: null`, as nodes of JSON-RPC 1.0 send it.
 * `retryAfter` is the HTTP header of that name.
 */
export function outcomeOfEntry(entry: object, call: RpcCall, headerChecks: ResultChecks, retryAfter?: string): RpcOutcome {
  const rpcError = rpcErrorIn(entry);
  return rpcError
    ? { error: errorFromRpcError(call.method, rpcError, parseRetryAfter(retryAfter)), rpcError }
    : resultOutcome(entry, call, headerChecks);
}

/** Calls that are sent in one request. */
export interface CallBatch {
  readonly calls: readonly RpcCall[];
  /** Size of the request. Calls are ASCII except for invalid arguments, so each character counts as one byte. */
  readonly bytes: number;
}

/** Maximum size of a request with several calls. The limits of nodes and their proxies start at 1 MiB. */
export const MAX_BATCH_BYTES = 512 * 1024;

/** Size of `{"jsonrpc":"2.0","id":1234567890,"method":"","params":},`. */
const CALL_OVERHEAD_BYTES = 55;

const bytesOf = ({ method, params, paramsJson }: RpcCall): number =>
  CALL_OVERHEAD_BYTES + method.length + (paramsJson ?? serializeParams(params)).length;

/** Cuts calls, in order, into batches within both limits. A call above `maxBytes` becomes a separate batch. */
export function cutIntoBatches(calls: readonly RpcCall[], maxCalls: number, maxBytes: number): CallBatch[] {
  const batches: CallBatch[] = [];
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < calls.length; i++) {
    const callBytes = bytesOf(calls[i]!);
    if (i > start && (i - start === maxCalls || bytes + callBytes > maxBytes)) {
      batches.push({ calls: calls.slice(start, i), bytes });
      start = i;
      bytes = 0;
    }
    bytes += callBytes;
  }
  if (calls.length > 0) batches.push({ calls: start === 0 ? calls : calls.slice(start), bytes });
  return batches;
}

/** Serializes one call as a JSON-RPC request. */
const serializeCall = (id: number, { method, params, paramsJson }: RpcCall): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${paramsJson ?? serializeParams(params)}}`;

/** Serializes a batch as the body of a POST. */
export function serializeBatch({ calls }: CallBatch, firstId: number): string {
  if (calls.length === 1) return serializeCall(firstId, calls[0]!);
  const requests = calls.map((call, i) => serializeCall(firstId + i, call));
  // The brackets are part of the joined texts, so that a long text is not copied again for them.
  requests[0] = `[${requests[0]}`;
  requests.push(`${requests.pop()}]`);
  return requests.join();
}

/**
 * Cost above which a batch is heavy. It equals the cost of ten blocks with transactions and receipts, a response of
 * about 5 MiB. A page of a hundred accounts with three values each costs less.
 */
const HEAVY_BATCH_COST = 400;

/** Whether a batch can occupy the node for long: it has a search for logs over several blocks, or its calls cost more than HEAVY_BATCH_COST. */
export function isHeavy({ calls }: CallBatch): boolean {
  let cost = 0;
  for (const call of calls) {
    cost += call.cost ?? 1;
    if (cost > HEAVY_BATCH_COST || isRangeSearch(call)) return true;
  }
  return false;
}

/** Whether a call searches the logs of several blocks. */
export function isRangeSearch({ method, params: [filter] }: RpcCall): boolean {
  if (method !== 'eth_getLogs') return false;
  const { blockHash, blockhash, fromBlock, toBlock } = (filter ?? {}) as Readonly<Record<string, unknown>>;
  return blockHash === undefined && blockhash === undefined && fromBlock !== toBlock;
}

/** Whether a call traces transactions, whose results have no usual size. */
export const isTrace = ({ method }: RpcCall): boolean => /^(?:debug_)?trace/.test(method);

/** The error of a trace that exceeds the size limit of a response, which a request to another endpoint would exceed, too. */
export const oversizedTraceError = (method: string): GraphError =>
  new GraphError(
    'RESULT_TOO_LARGE',
    'The trace exceeds the size limit of a response. Trace fewer transactions, or leave out the stack or the memory.',
    { source: 'node', method },
  );
