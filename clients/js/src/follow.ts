import { type Backoff, delay, delayBefore } from './backoff.ts';
import { cursorOfEvent, type Document, isLiveQuery, takesChain, takesCursor, textOf } from './documents.ts';
import { type GraphResult, HttpError, type SubscriptionClient, SubscriptionError } from './results.ts';
import { isFatal, toError } from './retry.ts';
import type { ScalarInputs } from './scalars.ts';

/** Attempts to read an event that has no data. */
const MAX_EVENT_RETRIES = 3;

/** Time in milliseconds after which the loss of a subscription is not a failed attempt: one whose events are rare may have had none. */
const STABLE_MS = 60_000;

/** A subscription that has been interrupted and will be resumed. */
export interface Interruption {
  /** The reason: a SubscriptionError, an HttpError, or the error of the connection. */
  readonly error: unknown;
  /** Time until the next attempt in milliseconds. */
  readonly delayMs: number;
  /** Failed attempts since the last event, or since a subscription that lasted a minute. */
  readonly attempt: number;
  /** Whether the subscription resumes after a cursor, or at its start if it has one. Otherwise the events until it is resumed are missing. */
  readonly isLossless: boolean;
}

/** What happens after an interruption. */
export interface ResumeOptions {
  /**
   * Whether to resume after an error. Default: unless `isFatal`. Return true for refused credentials, too, where the client sends new ones.
   */
  readonly shouldResume?: ((error: unknown) => boolean) | undefined;
  readonly onInterruption?: ((interruption: Interruption) => void) | undefined;
  readonly backoff?: Backoff | undefined;
  /** Failed attempts in a row after which the error of the last one is thrown. Unlimited by default. */
  readonly maxAttempts?: number | undefined;
}

export interface FollowOptions<Data, Variables> extends ResumeOptions {
  /** The subscription. It resumes without loss if it passes its variable `$after` to the argument `after`. */
  readonly query: Document<Data, Variables>;
  readonly variables?: Variables | undefined;
  readonly operationName?: string | undefined;
  /** Id of the chain: the variable `$chainId` of the subscription, which passes it to the argument `chainId`. By default the server decides. */
  readonly chain?: ScalarInputs['ChainId'] | undefined;
  /** Cursor after which to start; by default with new events. */
  readonly after?: string | undefined;
  /** Returns the cursor of an event, for an alias or a field that is renamed. Default: `cursorOfEvent`. */
  readonly cursorOf?: ((data: Data) => string | null | undefined) | undefined;
  /** Ends the iteration when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A result with data, or one without whose errors are final. */
export type FollowedResult<Data> = GraphResult<Data> & { readonly data: Data | null };

/**
 * Iterates over the events of a subscription, without end. After a lost connection it resumes after the last event, and the missed events come
 * first: none is lost or repeated. Throws a SubscriptionError that would recur, such as CURSOR_EXPIRED, and the error of refused credentials.
 *
 * Reads an event without data again, three times if its error is retryable, then throws its SubscriptionError. `followResults` yields it, and the
 * errors beside the data of an event.
 */
export function follow<Data = Record<string, unknown>, Variables = Record<string, unknown>>(
  client: SubscriptionClient,
  options: FollowOptions<Data, Variables>,
): AsyncIterableIterator<Data> {
  return endable(options.signal, async function* (signal) {
    for await (const { data, errors } of resultsOf(client, options, signal)) {
      if (data === null) throw new SubscriptionError(errors ?? []);
      yield data;
    }
  });
}

/** Iterates over a subscription as `follow` does, and yields each result with its errors, also one without data. */
export const followResults = <Data = Record<string, unknown>, Variables = Record<string, unknown>>(
  client: SubscriptionClient,
  options: FollowOptions<Data, Variables>,
): AsyncIterableIterator<FollowedResult<Data>> => endable(options.signal, (signal) => resultsOf(client, options, signal));

/** Creates an iterator whose `return` ends it even while `next` is pending. */
function endable<T>(
  outer: AbortSignal | undefined,
  generate: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncIterableIterator<T> {
  const control = new AbortController();
  const abort = () => control.abort();
  if (outer?.aborted) abort();
  // The end of this iterator removes the listener.
  else outer?.addEventListener('abort', abort, { signal: control.signal });
  const generator = (async function* () {
    try {
      yield* generate(control.signal);
    } finally {
      abort();
    }
  })();
  const iterator: AsyncIterableIterator<T> = {
    next: () => generator.next(),
    return: () => {
      abort();
      return generator.return();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

async function* resultsOf<Data, Variables>(
  client: SubscriptionClient,
  options: FollowOptions<Data, Variables>,
  signal: AbortSignal,
): AsyncGenerator<FollowedResult<Data>, void> {
  const { backoff, chain, maxAttempts = Number.POSITIVE_INFINITY, operationName, onInterruption } = options;
  const { shouldResume = (error: unknown) => !isFatal(error) } = options;
  const query = await textOf(options.query as Document<never, never>);
  if (chain !== undefined && !takesChain(query)) throw new Error(MISSING_CHAIN);
  const hasCursor = takesCursor(query);
  const isLive = isLiveQuery(query);
  const cursorOf = options.cursorOf ?? cursorOfEvent;
  let { after } = options;
  // Before its first event, a subscription with one of these variables begins at the same place again.
  const { fromBlock, stream } = (options.variables ?? {}) as Readonly<Record<string, unknown>>;
  const hasStart = (fromBlock ?? stream ?? undefined) !== undefined;
  const canRepeat = () => after !== undefined || hasStart;
  let attempt = 0;
  let eventRetries = 0;
  while (!signal.aborted) {
    const variables = {
      ...options.variables,
      ...(chain !== undefined && { chainId: chain }),
      ...(hasCursor && after !== undefined && { after }),
    };
    const events = client.iterate({ query, variables, ...(operationName !== undefined && { operationName }) });
    const startedAt = performance.now();
    let delayMs = 0;
    try {
      for (;;) {
        const next = await received(events, signal);
        if (next === undefined || next.done) return;
        const { data, errors, ...rest } = next.value as GraphResult<Data>;
        if (data === undefined) throw errors ?? new Error('The server has sent an event without data and errors.');
        const event = hasData(data, errors) ? data : null;
        const cursor = event ? endOnError(() => cursorOf(event)) : failedCursor(errors);
        if (!event && (isLive || (cursor && canRepeat())) && isRetryable(errors) && eventRetries < MAX_EVENT_RETRIES) {
          eventRetries += 1;
          throw errors;
        }
        if (hasCursor && event && !cursor) throw new FinalError(new Error(MISSING_CURSOR));
        after = cursor ?? after;
        attempt = 0;
        eventRetries = 0;
        yield { ...rest, data: event, ...(errors && { errors }) };
      }
    } catch (reason) {
      if (reason instanceof FinalError) throw reason.cause;
      if (signal.aborted) return;
      const error = toError(reason);
      if (performance.now() - startedAt >= STABLE_MS) attempt = 0;
      if (!shouldResume(error) || attempt >= maxAttempts) throw error;
      const retryAfterMs = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0;
      delayMs = Math.max(retryAfterMs, delayBefore(attempt, backoff));
      attempt += 1;
      onInterruption?.({ error, delayMs, attempt, isLossless: hasCursor && canRepeat() });
    } finally {
      // Not awaited: an iterator that waits for an event returns only after it.
      void Promise.resolve(events.return?.()).catch(() => {});
    }
    await delay(delayMs, signal);
  }
}

/** The next result; undefined once the signal is aborted. */
function received(events: AsyncIterator<GraphResult>, signal: AbortSignal): Promise<IteratorResult<GraphResult> | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    events
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Whether an event has data: an object that does not exist is null without an error. */
const hasData = <Data>(data: Data | null, errors: GraphResult['errors'] = []): data is Data =>
  data !== null && (errors.length === 0 || Object.values(data as object).some((value) => value !== null));

const failedCursor = (errors: GraphResult['errors']): string | undefined => {
  const cursor = errors?.[0]?.extensions?.cursor;
  return typeof cursor === 'string' ? cursor : undefined;
};

const isRetryable = (errors: GraphResult['errors'] = []): boolean =>
  errors.length > 0 && errors.every(({ extensions }) => extensions?.retryable === true);

const MISSING_CURSOR =
  'The event has no cursor. Select `cursor` of logs and logPages, `hash` of newHeads or `id` of webhookEvents, or pass `cursorOf`.';

/** Without the variable, the server would send the events of the default chain. */
const MISSING_CHAIN =
  'The subscription does not take the chain. Declare `$chainId: ChainId` and pass it to the argument `chainId`, or omit `chain`.';

/** A mistake of the caller, which a new subscription would repeat. */
class FinalError extends Error {
  constructor(cause: unknown) {
    super('The subscription cannot continue.', { cause });
  }
}

function endOnError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new FinalError(error);
  }
}
