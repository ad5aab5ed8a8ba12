import { GraphError } from '../lib/errors.ts';

/** An operation as it is sent to the graph. */
export interface GraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** The response of the graph, or one event of a subscription. */
export interface GraphResponse {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Headers that identify the caller to the graph, and report its address. */
export type CallerHeaders = Readonly<Record<string, string>>;

export interface GraphClientOptions {
  /** URL of the graph, path included. */
  readonly url: string;
  readonly headers: CallerHeaders;
}

/** Executes operations of one caller on a running graph. */
export interface GraphClient {
  /**
   * Resolves with the response, whatever its HTTP status. Rejects with UPSTREAM_UNAVAILABLE if the graph does not respond, with
   * UPSTREAM_BAD_RESPONSE for a response that is not one of GraphQL, and with RESULT_TOO_LARGE above 64 MiB.
   */
  execute(request: GraphRequest, signal: AbortSignal): Promise<GraphResponse>;
  /** Yields the events of a subscription until it completes or the signal aborts. Rejects as `execute`. */
  subscribe(request: GraphRequest, signal: AbortSignal): AsyncGenerator<GraphResponse>;
}

/** Above every sensible MAX_RESPONSE_BYTES; protects the memory of this process from another server at GRAPH_URL. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

const tooLarge = (): GraphError =>
  new GraphError('RESULT_TOO_LARGE', 'The response of the graph is too large. Select fewer fields or a smaller page.');

const badResponse = (cause?: unknown): GraphError =>
  new GraphError('UPSTREAM_BAD_RESPONSE', 'The URL does not respond as a graph does. Set GRAPH_URL to the URL of a graph.', {
    cause,
  });

function parseResponse(text: string): GraphResponse {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badResponse(error);
  }
  if (typeof value !== 'object' || value === null || !('data' in value || 'errors' in value)) throw badResponse();
  return value as GraphResponse;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Yields the chunks of a body. Rejects with the reason of the signal, and cancels the body then and when the iteration ends. The signal of `fetch`
 * does not suffice: once the response is garbage-collected, it no longer aborts the body.
 */
async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

export function createGraphClient({ url, headers }: GraphClientOptions): GraphClient {
  const post = async (request: GraphRequest, accept: string, signal: AbortSignal) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
        body: JSON.stringify(request),
        // A redirect could send the key to another server.
        redirect: 'error',
        signal,
      });
      if (!response.body) throw badResponse();
      return { type: response.headers.get('content-type') ?? '', body: chunksOf(response.body, signal) };
    } catch (cause) {
      throw failureOf(cause, signal);
    }
  };

  return {
    async execute(request, signal) {
      const { body } = await post(request, 'application/json', signal);
      const text = await readText(body).catch((cause) => {
        throw failureOf(cause, signal);
      });
      return parseResponse(text);
    },

    async *subscribe(request, signal) {
      const { type, body } = await post(request, 'text/event-stream', signal);
      try {
        // The graph rejects a request with a single response.
        if (!type.startsWith('text/event-stream')) return yield parseResponse(await readText(body));
        for await (const { name, data } of readEventStream(body, MAX_RESPONSE_BYTES)) {
          if (name === 'complete') return;
          if (name === 'next') yield parseResponse(data);
        }
      } catch (cause) {
        throw failureOf(cause, signal);
      }
      throw new GraphError('UPSTREAM_UNAVAILABLE', 'The graph ended the event stream. Try again.');
    },
  };
}

/** The error for a failed request. */
function failureOf(cause: unknown, signal: AbortSignal): unknown {
  if (cause instanceof GraphError) return cause;
  if (signal.aborted) {
    const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    return isTimeout
      ? new GraphError('TIMEOUT', 'The graph did not respond in time. Select fewer fields.', { cause })
      : new GraphError('SHUTTING_DOWN', 'The call was cancelled, or the server is shutting down.', { cause });
  }
  if (cause instanceof RangeError) return tooLarge();
  return new GraphError('UPSTREAM_UNAVAILABLE', 'The graph does not respond. Start it, or set GRAPH_URL to its URL.', { cause });
}

/** One event of an event stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

const LINE_END = /\r\n|\r|\n/;

/** Reads the events of a body in the format of server-sent events. Ignores comments and fields other than `event` and `data`. */
export async function* readEventStream(body: AsyncIterable<Uint8Array>, maxEventBytes: number): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let name = 'message';
  let data: string[] = [];
  let size = 0;
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // The line feed of a last carriage return may be in the next chunk.
    const lines = (text.endsWith('\r') ? text.slice(0, -1) : text).split(LINE_END);
    rest = `${lines.pop()!}${text.endsWith('\r') ? '\r' : ''}`;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        [name, data, size] = ['message', [], 0];
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
      size += line.length;
    }
    if (size + rest.length > maxEventBytes) throw new RangeError('the event is too large');
  }
}
