/**
 * Follows a subscription without end: when the connection breaks, or the server ends it for being slow, it goes on behind the last event
 * that was seen, and what was missed comes first. Works in browsers and in Node.
 *
 * @param client a `createClient` of graphql-ws with `retryAttempts: 0`: the tries are made here, where the cursor is known
 * @param query the subscription, which hands its variable `$after` to the argument of that name
 * @param cursorOf where an event's cursor is: `({ logs }) => logs.cursor`
 * @param after the cursor to begin behind; at the present when left out
 * @param onBreak told why each time it has to begin anew, and whether events may be missing because the cursor was too old
 * @param pauseMs about how long it waits before it tries again: from then on twice as long each time, up to ten seconds
 */
export async function* follow(client, { query, variables, cursorOf, after, onBreak = () => {}, pauseMs = 250 }) {
  let waitMs = pauseMs;
  for (;;) {
    try {
      for await (const { data, errors } of client.iterate({ query, variables: { ...variables, after } })) {
        if (!data) throw errors;
        waitMs = pauseMs;
        after = cursorOf(data) ?? after;
        yield data;
      }
      return;
    } catch (error) {
      const { code, retryable } = (Array.isArray(error) && error[0]?.extensions) || {};
      // Behind a gap the cursor may still be known: then nothing is missing.
      const missing = code === 'CURSOR_EXPIRED' || (code === 'GAP_TOO_LARGE' && after === undefined);
      if (code && !retryable && !missing) throw error;
      if (missing) after = undefined;
      onBreak(error, missing);
      // Not all clients of a server that went away at the same moment.
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
      waitMs = Math.min(10_000, waitMs * 2);
    }
  }
}
