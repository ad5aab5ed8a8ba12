import type { JsonResponse } from '../../http-request.ts';
import { rpcErrorIn } from '../rpc-errors.ts';

/** Whether a response states that the node accepts no batch, or a smaller one only, or that it could not parse the list. */
export function isExplicitBatchRejection({ status, body }: JsonResponse): boolean {
  const error = rpcErrorIn(body);
  if (status === 405 || status === 415) return true;
  return error !== undefined && (/batch/i.test(String(error.message)) || error.code === -32600 || error.code === -32700);
}

/** Whether a response that is not a list rejects the batch as such, rather than because of a rate limit, credentials or an outage. */
export function rejectsBatch(response: JsonResponse): boolean {
  const { status, body } = response;
  if (isExplicitBatchRejection(response)) return true;
  const error = rpcErrorIn(body);
  if (error?.code === -32005 || error?.code === 429) return false;
  if (status === 200) return error !== undefined;
  return status >= 400 && status < 500 && ![401, 402, 403, 404, 408, 429].includes(status);
}

/** Unwraps the list of one error, under the id of the first call, with which geth rejects a batch that is too large. */
export function unwrapBatchError(response: JsonResponse): JsonResponse {
  if (!Array.isArray(response.body) || response.body.length !== 1) return response;
  const body: unknown = response.body[0];
  return /batch/i.test(String(rpcErrorIn(body)?.message)) ? { ...response, body } : response;
}
