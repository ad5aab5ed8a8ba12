import { type GraphResult, HttpError, type SubscriptionClient } from './results.ts';
import { parseEvents } from './sse-parser.ts';

export interface EventStreamOptions {
  /** URL of the graph: `https://host/graphql`. */
  readonly url: string;
  /** Headers of each request, or a function that returns them, for credentials that expire. */
  readonly headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /** A `fetch` other than the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /**
   * Time without a byte after which the connection counts as lost, in milliseconds. 40,000 by default: the server sends a comment every 25 seconds.
   */
  readonly idleTimeoutMs?: number | undefined;
}

const IDLE_TIMEOUT_MS = 40_000;

/**
 * Creates a client of subscriptions over server-sent events: one request for each subscription, in browsers and in Node. Unlike an EventSource it
 * sends headers and reports errors, and it does not reconnect by itself, since only `follow` knows the cursor.
 */
export const createEventStreamClient = (options: EventStreamOptions): SubscriptionClient => ({
  iterate: (request) => {
    const control = new AbortController();
    // Before the stream, whose errors are those of the connection: a bigint, for example, fails each time.
    const generator = readStream(JSON.stringify(request), options, control);
    const iterator: AsyncIterableIterator<GraphResult> = {
      next: () => generator.next(),
      return: () => {
        control.abort();
        return generator.return();
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  },
});

async function* readStream(
  body: string,
  { url, headers, fetch = globalThis.fetch, credentials, idleTimeoutMs = IDLE_TIMEOUT_MS }: EventStreamOptions,
  control: AbortController,
): AsyncGenerator<GraphResult, void> {
  const idle = createIdleTimer(idleTimeoutMs, () => control.abort(new Error('The event stream has been silent for too long.')));
  idle.start();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(typeof headers === 'function' ? await Promise.race([headers(), abortOf(control.signal)]) : headers),
      },
      body,
      signal: control.signal,
      ...(credentials && { credentials }),
    });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw await refusalOf(response);
    for await (const { event, data } of parseEvents(response.body!, idle)) {
      if (event === 'complete') return;
      if (event === 'next') yield JSON.parse(data) as GraphResult;
    }
  } finally {
    idle.stop();
    control.abort();
  }
  // A server that shuts down ends the response without `complete`.
  throw new Error('The event stream has ended without `complete`.');
}

/** Rejects with the reason of a signal once it is aborted. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** The GraphQL errors of a response that is no event stream, or an HttpError where it has none. */
async function refusalOf(response: Response): Promise<unknown> {
  const retryAfter = response.headers.get('retry-after') ?? '';
  const seconds = /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) : Math.max(0, Date.parse(retryAfter) - Date.now()) / 1000;
  const body = (await response.json().catch(() => undefined)) as GraphResult | undefined;
  const isRetryable = response.status === 429 || response.status >= 500;
  if (!isRetryable && body?.errors && body.errors.length > 0) return body.errors;
  return new HttpError(response.status, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}

/** Runs only while a read is pending: a caller that takes long for an event has not lost the connection. */
function createIdleTimer(ms: number, onIdle: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    start: (): void => {
      stop();
      // A timer of more milliseconds would end at once.
      timer = setTimeout(onIdle, Math.min(ms, 2 ** 31 - 1));
    },
    stop,
  };
}
