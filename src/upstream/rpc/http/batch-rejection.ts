import { GraphError } from '../../../errors.ts';
import type { JsonResponse } from '../../http-request.ts';
import { rpcErrorIn } from '../rpc-errors.ts';

/** How long batches stay reduced after a rejection, before the full size is tried again. */
const REDUCED_BATCH_MS = 60_000;
/** Divisor of the size of a rejected batch. The limits of nodes are mostly powers of ten, so few steps reach them. */
const BATCH_REDUCTION_FACTOR = 10;

/** Tracks the largest batch that an endpoint accepts, from its rejections. */
export class BatchSizeLimit {
  readonly #maxBatchSize: number;
  #rejectionsInARow = 0;
  #reducedSize: number;
  #reducedUntil = 0;

  constructor(maxBatchSize: number) {
    this.#maxBatchSize = maxBatchSize;
    this.#reducedSize = maxBatchSize;
  }

  /** Maximum number of calls in the next POST. */
  get current(): number {
    return Date.now() < this.#reducedUntil ? this.#reducedSize : this.#maxBatchSize;
  }

  recordSuccess(): void {
    this.#rejectionsInARow = 0;
  }

  /**
   * Records the rejection of a batch and returns the size of the batches in which to resend its calls. An ambiguous rejection may be
   * temporary: later batches are smaller only after an explicit one, or after two in a row.
   */
  recordRejection(size: number, isExplicit: boolean): number {
    const reducedSize = isExplicit ? Math.max(1, Math.floor(size / BATCH_REDUCTION_FACTOR)) : 1;
    this.#rejectionsInARow += 1;
    if (isExplicit || this.#rejectionsInARow > 1) {
      this.#reducedSize = reducedSize;
      this.#reducedUntil = Date.now() + REDUCED_BATCH_MS;
    }
    return reducedSize;
  }
}

/** Whether a response states that the node accepts no batch, or a smaller one only, or that it could not parse the list. */
export function isExplicitBatchRejection({ status, body }: JsonResponse): boolean {
  const error = rpcErrorIn(body);
  if (status === 405 || status === 413 || status === 415) return true;
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
export function unwrapBatchError<T extends JsonResponse | GraphError>(response: T, callCount: number): T {
  if (response instanceof GraphError || callCount < 2 || !Array.isArray(response.body) || response.body.length !== 1) {
    return response;
  }
  const body: unknown = response.body[0];
  return /batch/i.test(String(rpcErrorIn(body)?.message)) ? { ...response, body } : response;
}
