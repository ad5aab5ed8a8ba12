import type { GraphQLFormattedError } from 'graphql';
import { asGraphQLError } from '../../graphql/format-error.ts';
import { GraphError } from '../../lib/errors.ts';
import type { Caller } from '../../operation/caller.ts';
import { formatRequestErrors } from '../../operation/response.ts';

/** The longest time of a timer of Node; a longer one ends at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls a function when the identity of a caller expires. Returns a function that cancels it. */
export function onExpiry(caller: Caller | undefined, expire: () => void): () => void {
  const { expiresAt } = caller ?? {};
  if (expiresAt === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const waitMs = Math.max(0, expiresAt - Date.now());
    timer = setTimeout(waitMs > MAX_TIMER_MS ? schedule : expire, Math.min(waitMs, MAX_TIMER_MS));
  };
  schedule();
  return () => clearTimeout(timer);
}

/** The errors that end an event stream when the token of its caller has expired. */
export const identityExpiredErrors = (requestId: string): GraphQLFormattedError[] =>
  formatRequestErrors(
    [asGraphQLError(new GraphError('UNAUTHENTICATED', 'The token has expired. Subscribe again with a new one.'))],
    requestId,
  );
