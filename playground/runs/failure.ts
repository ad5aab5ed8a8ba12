import { HttpError, SubscriptionError } from '../../clients/js/src/results.ts';

/** A sentence that states why a request has no result. */
export function failureText(error: unknown): string {
  // The messages of `fetch` differ between browsers: `Failed to fetch`, `Load failed`.
  return error instanceof HttpError || error instanceof SubscriptionError ? error.message : 'The server cannot be reached.';
}
