/** Maximum number of retries of a failed event before it is reported. */
const MAX_RETRIES = 3;
/** Close codes of graphql-transport-ws after which a retry fails again: the client or its credentials are invalid. */
const FATAL_CLOSE_CODES = [4400, 4401, 4403, 4406, 4409];

/**
 * Iterates over a subscription without end. When the connection breaks or the server ends the subscription, it resumes after the last
 * received event, and the missed events come first. Works in browsers and in Node.
 *
 * Retries an event whose data is null from the cursor before it, at most three times, if its error is retryable. Then calls
 * `onFailedEvent` and continues after the event; without `onFailedEvent` its errors are thrown.
 *
 * @param client a `createClient` of graphql-ws with `retryAttempts: 0`, because retries need the cursor. A client of event streams works
 *   as well if its `iterate` yields the errors that end a subscription without `data`
 * @param query the subscription; it passes its variable `$after` to the argument `after`
 * @param cursorOf returns the cursor of an event: `({ logs }) => logs.cursor`
 * @param after the cursor after which to start; starts with new events when left out
 * @param onBreak called before each new subscription, with the reason and whether events may be missing: the cursor was too old, or no
 *   event had arrived yet
 * @param onFailedEvent called with `{ errors, cursor, removed }` of an event without data; `cursor` and `removed` are undefined when the
 *   subscription has none. An error that it throws ends the iteration
 * @param pauseMs approximate pause before the first retry in milliseconds; doubles with each retry, up to ten seconds
 */
export async function* follow(client, { query, variables, cursorOf, after, onBreak = () => {}, onFailedEvent, pauseMs = 250 }) {
  let waitMs = pauseMs;
  let retries = 0;
  for (;;) {
    try {
      for await (const { data, errors } of client.iterate({ query, variables: { ...variables, after } })) {
        if (data === undefined) throw errors;
        const hasData = data !== null && Object.values(data).some((value) => value !== null);
        if (hasData) {
          after = endOnError(() => cursorOf(data)) ?? after;
        } else {
          const { cursor, removed, retryable } = errors?.[0]?.extensions ?? {};
          // Without a cursor the same event cannot be requested again.
          if (cursor && after !== undefined && retryable && retries < MAX_RETRIES) {
            retries += 1;
            throw errors;
          }
          if (!onFailedEvent) throw new FinalError(errors);
          endOnError(() => onFailedEvent({ errors, cursor, removed }));
          after = cursor ?? after;
        }
        waitMs = pauseMs;
        retries = 0;
        if (hasData) yield data;
      }
      return;
    } catch (error) {
      if (error instanceof FinalError) throw error.reason;
      const { code, retryable } = (Array.isArray(error) && error[0]?.extensions) || {};
      const isExpired = code === 'CURSOR_EXPIRED';
      if ((code && !retryable && !isExpired) || FATAL_CLOSE_CODES.includes(error?.code)) throw error;
      if (isExpired) after = undefined;
      onBreak(error, after === undefined);
      // Jitter, so that the clients of a restarted server do not reconnect at the same time.
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
      waitMs = Math.min(10_000, waitMs * 2);
    }
  }
}

/** Calls a function of the caller; an error ends the iteration. */
function endOnError(run) {
  try {
    return run();
  } catch (error) {
    throw new FinalError(error);
  }
}

/** Ends the iteration with an error for the caller, because a new subscription would fail too. */
class FinalError extends Error {
  constructor(reason) {
    super('the subscription cannot continue');
    this.reason = reason;
  }
}
