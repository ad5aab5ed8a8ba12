import type { JsonResponse } from '../../http-request.ts';
import { parseRetryAfter } from '../../retry.ts';
import type { HeaderChecks } from '../header-checks.ts';
import { numericId, type RpcCall, type RpcOutcome, resultOutcome, serializeParams } from '../rpc-call.ts';
import { errorFromRpcError, rpcErrorIn } from '../rpc-errors.ts';

/** JSON-RPC error code of geth for calls whose results no longer fit into the response to a batch. */
const RESPONSE_TOO_LARGE_CODE = -32003;

/** Outcome of a call that has received its result. */
export const PASSED_ON: RpcOutcome = { result: undefined };

/** Passes the result in an entry of a batch to its call; returns false for an error, and for a call that does not receive it early. */
export function passResultOn(entry: unknown, call: RpcCall | undefined, headerChecks: HeaderChecks): boolean {
  if (!call?.onResult || !('result' in (entry as object))) return false;
  const outcome = resultOutcome(entry as object, call, headerChecks);
  if ('result' in outcome) call.onResult(call, outcome.result);
  return 'result' in outcome;
}

/** Whether a call failed because the response to its batch is too large: geth refuses the calls after the one that exceeds 25 MB. */
export const isResponseTooLarge = (outcome: RpcOutcome): boolean =>
  'error' in outcome && outcome.rpcError?.code === RESPONSE_TOO_LARGE_CODE;

/** The id of an entry; NaN without a usable one. */
export const entryId = (entry: unknown): number =>
  numericId(typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined);

/** Whether a value is the entry with this id. */
export const hasId = (entry: unknown, id: number): entry is object => entryId(entry) === id;

/** The outcome of a call from its entry. */
export function toOutcome(entry: object, call: RpcCall, { retryAfter }: JsonResponse, headerChecks: HeaderChecks): RpcOutcome {
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

/** Cuts calls, in order, into batches within both limits. A call above `maxBytes` is a batch of its own. */
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
 * Cost above which a batch is heavy. It is that of ten blocks with transactions and receipts, a response of about 5 MiB; a page of a hundred
 * accounts with three values each is below it.
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
