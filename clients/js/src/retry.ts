import { type GraphError, HttpError, SubscriptionError } from './results.ts';

/** Close codes of graphql-transport-ws after which the same client is refused again: invalid message, unauthorized, forbidden, subprotocol, id. */
const FATAL_CLOSE_CODES: ReadonlySet<unknown> = new Set([4400, 4401, 4403, 4406, 4409]);
/** Statuses of client errors after which the same request may succeed: timeout, too early, too many requests. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

const isErrorList = (reason: unknown): reason is readonly GraphError[] =>
  Array.isArray(reason) && reason.length > 0 && reason.every((error) => typeof error?.message === 'string');

/** Converts what a subscription has ended with: a list of GraphQL errors, as graphql-ws throws it, becomes a SubscriptionError. */
export const toError = (reason: unknown): unknown => (isErrorList(reason) ? new SubscriptionError(reason) : reason);

/**
 * Whether a subscription that has ended with this error would fail again: errors that are not retryable, such as CURSOR_EXPIRED, refused
 * credentials and invalid requests. A lost connection is none.
 */
export function isFatal(error: unknown): boolean {
  if (error instanceof SubscriptionError) return !error.errors.every(({ extensions }) => extensions?.retryable === true);
  if (error instanceof HttpError) return error.status < 500 && !RETRYABLE_STATUSES.has(error.status);
  return FATAL_CLOSE_CODES.has((error as { code?: unknown } | null)?.code);
}
