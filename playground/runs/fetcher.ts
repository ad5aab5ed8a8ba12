import type { Fetcher } from '@graphiql/toolkit';
import { type ExecutionResult, getOperationAST, parse } from 'graphql';
import { takesCursor } from '../../clients/js/src/documents.ts';
import { followResults } from '../../clients/js/src/follow.ts';
import { type GraphResult, HttpError, SubscriptionError, type SubscriptionRequest } from '../../clients/js/src/results.ts';
import { toError } from '../../clients/js/src/retry.ts';
import { createEventStreamClient } from '../../clients/js/src/sse.ts';
import { askForKey, hasKey, keyHeaders, refusalIn } from '../caller-key.ts';
import { graphUrl } from '../endpoints.ts';
import { failureText } from './failure.ts';
import { withCursorVariable } from './resumable.ts';
import { type RunRecorder, startRun } from './run-store.ts';

type Params = Parameters<Fetcher>[0];
type Headers = Readonly<Record<string, string>>;

/** Adds the cost of an operation, and of each event, to the response. */
const COST_HEADER = { 'x-graph-cost': '1' };

/** Executes the operations of GraphiQL and records their runs. Subscriptions are event streams: on a WebSocket, browsers cannot request the cost. */
export const fetcher: Fetcher = async (params, { headers = {} } = {}) => {
  if (params.operationName === 'IntrospectionQuery') return introspect(params, headers) as Promise<ExecutionResult>;
  const isSubscription = hasEvents(params);
  const run = startRun(isSubscription);
  if (isSubscription) return recordEvents(params, headers, run);
  let result: ExecutionResult;
  try {
    const posted = await post(params, { ...COST_HEADER, ...withKey(headers) });
    result = posted.result;
    askIfKeyRefused(result, headers);
    run.add(result, posted.blockHash);
  } catch (error) {
    const message = failureText(error);
    run.fail(message);
    result = { errors: [{ message }] } as unknown as ExecutionResult;
  } finally {
    run.end();
  }
  // GraphiQL would write it into the other tab that is shown now.
  return run.signal.aborted ? new Promise(() => {}) : result;
};

const withKey = (headers: Headers): Headers => ({ ...headers, ...keyHeaders(headers) });

/** Asks for another key when the graph refuses that of the tab, for example since a token has expired. */
function askIfKeyRefused({ errors }: { readonly errors?: Parameters<typeof refusalIn>[0] }, headers: Headers): void {
  const refusal = hasKey(headers) ? refusalIn(errors) : undefined;
  if (refusal) askForKey(refusal.message);
}

interface PostedResult {
  readonly result: ExecutionResult;
  /** Hash of the block that was read. Null outside drop-in mode, whose responses have no `extensions`. */
  readonly blockHash: string | null;
}

async function post(params: Params, headers: Headers): Promise<PostedResult> {
  const response = await fetch(graphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  const result = (await response.json().catch(() => undefined)) as ExecutionResult | undefined;
  // For example a page of a proxy.
  if (!result) throw new HttpError(response.status);
  return { result, blockHash: response.headers.get('x-graph-block') };
}

/**
 * Reads the schema. Without one, the page shows the reason above itself, and GraphiQL receives an empty text: it writes every other answer into
 * the response, in place of that of an operation that ended before.
 */
async function introspect(params: Params, headers: Headers): Promise<ExecutionResult | string> {
  try {
    const { result } = await post(params, withKey(headers));
    const refusal = refusalIn(result.errors);
    if (refusal) askForKey(refusal.message);
    else if (result.errors) {
      showNotice(`${result.errors[0]?.message} There is no completion and no documentation here; operations run as usual.`);
    } else showNotice('');
    return result.errors ? '' : result;
  } catch (error) {
    showNotice(`${failureText(error)} Without the schema there is no completion and no documentation: load the page again.`);
    return '';
  }
}

/** Shows a notice above the page, or hides it with an empty text. */
export function showNotice(text: string): void {
  const notice = document.getElementById('notice')!;
  notice.textContent = text;
  notice.hidden = text === '';
}

/** Whether the operation is a subscription or a live query; false for an invalid document, whose errors the server reports. */
function hasEvents({ query, operationName }: Params): boolean {
  try {
    const operation = getOperationAST(parse(query), operationName);
    return operation?.operation === 'subscription' || operation?.directives?.some(({ name }) => name.value === 'live') === true;
  } catch {
    return false;
  }
}

/** Follows a subscription as the client package does: after a lost connection it resumes, if possible after the last event. */
function openEvents(params: Params, headers: Headers, run: RunRecorder): AsyncIterableIterator<GraphResult> {
  let hasConnected = false;
  const client = createEventStreamClient({
    url: graphUrl,
    headers: { ...COST_HEADER, ...withKey(headers) },
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.ok) {
        hasConnected = true;
        run.connect();
      }
      return response;
    },
  });
  const request = params as SubscriptionRequest;
  const query = withCursorVariable(request.query, request.operationName);
  // `follow` rejects events without a cursor for a query that takes one.
  if (!query && takesCursor(request.query)) return client.iterate(request);
  return followResults<unknown, Record<string, unknown>>(client, {
    ...request,
    query: query ?? request.query,
    onInterruption({ error, attempt, isLossless }) {
      const gap = isLossless ? 'none' : 'possible';
      run.interrupt({ reason: failureText(error), attempt, gap: hasConnected ? gap : null });
    },
  });
}

function recordEvents(params: Params, headers: Headers, run: RunRecorder): AsyncIterableIterator<ExecutionResult> {
  const events = openEvents(params, headers, run);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    void events.return?.();
  };
  run.signal.addEventListener('abort', stop);
  async function* record(): AsyncGenerator<ExecutionResult, void> {
    try {
      for await (const result of events) {
        askIfKeyRefused(result, headers);
        run.add(result as ExecutionResult);
        yield result as ExecutionResult;
      }
    } catch (reason) {
      // The error of the aborted request.
      if (isStopped) return;
      const error = toError(reason);
      if (error instanceof SubscriptionError) {
        const { errors } = error;
        askIfKeyRefused({ errors }, headers);
        run.add({ errors } as ExecutionResult);
      } else run.fail(failureText(error));
      throw error;
    } finally {
      run.end();
    }
  }
  const generator = record();
  const iterator: AsyncIterableIterator<ExecutionResult> = {
    next: () => generator.next(),
    return: () => {
      stop();
      return generator.return();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
