/** How often a failed event is read again before it is reported. */
const MAX_RETRIES = 3;
/** Close codes of graphql-transport-ws that mean the same for every try: the client or its credentials are wrong. */
const FATAL_CLOSE_CODES = [4400, 4401, 4403, 4406, 4409];

/**
 * Follows a subscription without end: when the connection breaks, or the server ends the subscription, it resumes behind the last event
 * that was seen, and what was missed comes first. Works in browsers and in Node.
 *
 * An event whose data is null is read again from the cursor before it, three times at most, if its error says that this can help. Then
 * `onFailedEvent` gets it and the subscription continues behind it; without `onFailedEvent` its errors are thrown.
 *
 * @param client a `createClient` of graphql-ws with `retryAttempts: 0`: the tries are made here, where the cursor is known. A client of
 * event streams works as well if its `iterate` yields the errors that end a subscription without `data`
 * @param query the subscription, which hands its variable `$after` to the argument of that name
 * @param cursorOf where an event's cursor is: `({ logs }) => logs.cursor`
 * @param after the cursor to begin behind; at the present when left out
 * @param onBreak called each time before it subscribes again, with the reason and whether events may be missing: the cursor was too old,
 * or there was none yet
 * @param onFailedEvent called with `{ errors, cursor, removed }` of an event without data; `cursor` and `removed` are those of the event,
 *   undefined where the subscription has none. What it throws ends the loop
 * @param pauseMs about how long it waits before it tries again: from then on twice as long each time, up to ten seconds
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
          after = final(() => cursorOf(data)) ?? after;
        } else {
          const { cursor, removed, retryable } = errors?.[0]?.extensions ?? {};
          // Only behind a cursor the same event comes again.
          if (cursor && after !== undefined && retryable && retries < MAX_RETRIES) {
            retries += 1;
            throw errors;
          }
          if (!onFailedEvent) throw new Final(errors);
          final(() => onFailedEvent({ errors, cursor, removed }));
          after = cursor ?? after;
        }
        waitMs = pauseMs;
        retries = 0;
        if (hasData) yield data;
      }
      return;
    } catch (error) {
      if (error instanceof Final) throw error.reason;
      const { code, retryable } = (Array.isArray(error) && error[0]?.extensions) || {};
      const isExpired = code === 'CURSOR_EXPIRED';
      if ((code && !retryable && !isExpired) || FATAL_CLOSE_CODES.includes(error?.code)) throw error;
      if (isExpired) after = undefined;
      onBreak(error, after === undefined);
      // Not all clients of a server that went away at the same moment.
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
      waitMs = Math.min(10_000, waitMs * 2);
    }
  }
}

/** Runs a function of the caller, whose failure ends the loop. */
function final(run) {
  try {
    return run();
  } catch (error) {
    throw new Final(error);
  }
}

/** Ends the loop with what is thrown to the caller: subscribing again does not help. */
class Final extends Error {
  constructor(reason) {
    super('the subscription cannot continue');
    this.reason = reason;
  }
}
