import type { JsonResponse } from '../../http-request.ts';
import { parseRetryAfter } from '../../retry.ts';
import type { HeaderChecks } from '../header-checks.ts';
import { numericId, type RpcCall, type RpcOutcome, resultOutcome } from '../rpc-call.ts';
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
