import { ReadableStream, TextDecoderStream } from 'node:stream/web';
import type { EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream, ParseError } from 'eventsource-parser/stream';
import type { FormattedExecutionResult } from 'graphql';
import { request as sendRequest } from 'undici';
import { parseEndpoint } from '../lib/endpoint.ts';
import { type ErrorCode, GraphError } from '../lib/errors.ts';

/** An operation as it is sent to the graph. */
export interface GraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** The response of the graph, or one event of a subscription. */
export type GraphResponse = FormattedExecutionResult<unknown>;

/** Headers that identify the caller to the graph, and report its address. */
export type CallerHeaders = Readonly<Record<string, string>>;

/**
 * Maximum size of a response, above every sensible MAX_RESPONSE_BYTES. Protects the memory of this process from another
 * server at GRAPH_URL.
 */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** A failure of the graph itself, which is no failure of its node. */
export const graphFailure = (code: ErrorCode, message: string, cause?: unknown): GraphError =>
  new GraphError(code, message, { source: 'graph', cause });

/** A result has fewer escapes and spaces than the response. Parsing a response of 16 MiB would take 200 ms. */
const maxResponseBytes = (maxResultBytes = MAX_RESPONSE_BYTES): number => Math.min(4 * maxResultBytes, MAX_RESPONSE_BYTES);

const tooLarge = (limit?: number): GraphError =>
  new GraphError('RESULT_TOO_LARGE', 'The response of the graph is too large. Select fewer fields or a smaller page.', {
    ...(limit !== undefined && { limit, setting: 'MCP_MAX_RESULT_BYTES' }),
  });

function parseResponse(text: string): GraphResponse {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && ('data' in value || 'errors' in value)) return value as GraphResponse;
  } catch {
    // The error below also covers text that is not JSON.
  }
  throw graphFailure('UPSTREAM_BAD_RESPONSE', 'The URL does not respond as a graph does. Set GRAPH_URL to the URL of a graph.');
}

async function readText(body: AsyncIterable<Uint8Array>, maxResultBytes: number | undefined): Promise<string> {
  const maxBytes = maxResponseBytes(maxResultBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxResultBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The reason of a signal that aborts a request after its time. */
export const graphTimeout = (): GraphError =>
  new GraphError('TIMEOUT', 'The graph did not respond in time. Select fewer fields.');

/** Executes operations of one caller on a running graph. */
export type GraphClient = ReturnType<typeof createGraphClient>;

/** Creates a client of the graph at this URL, path included. User and password of the URL are sent as Basic authentication. */
export function createGraphClient(url: string, headers: CallerHeaders) {
  const endpoint = parseEndpoint(url);
  const post = async (request: GraphRequest, accept: string, signal: AbortSignal) => {
    const response = await sendRequest(endpoint.origin + endpoint.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...endpoint.headers, ...headers },
      body: JSON.stringify(request),
      signal,
    });
    // Following a redirect could send the key to another server.
    if (response.statusCode < 300 || response.statusCode >= 400) return response;
    response.body.destroy();
    throw new Error('The graph responded with a redirect.');
  };

  return {
    /**
     * Resolves with the response for any HTTP status. Rejects with UPSTREAM_UNAVAILABLE if the graph does not respond,
     * with UPSTREAM_BAD_RESPONSE for a response that is not one of GraphQL, and with RESULT_TOO_LARGE for a response that is
     * much larger than `maxResultBytes`.
     */
    async execute(request: GraphRequest, signal: AbortSignal, maxResultBytes?: number): Promise<GraphResponse> {
      try {
        const { body } = await post(request, 'application/json', signal);
        return parseResponse(await readText(body, maxResultBytes));
      } catch (cause) {
        throw failureOf(cause, signal);
      }
    },

    /** Yields the events of a subscription until it completes or the signal aborts. Rejects as `execute`. */
    async *subscribe(request: GraphRequest, signal: AbortSignal, maxResultBytes?: number): AsyncGenerator<GraphResponse> {
      try {
        const { headers: responseHeaders, body } = await post(request, 'text/event-stream', signal);
        // The graph rejects a request with a single response.
        if (!String(responseHeaders['content-type']).startsWith('text/event-stream'))
          return yield parseResponse(await readText(body, maxResultBytes));
        for await (const { event, data } of readEventStream(body, maxResponseBytes(maxResultBytes))) {
          if (event === 'complete') return;
          if (event === 'next') yield parseResponse(data);
        }
      } catch (cause) {
        throw failureOf(cause, signal);
      }
      throw graphFailure('UPSTREAM_UNAVAILABLE', 'The graph ended the event stream. Try again.');
    },
  };
}

/** The error for a failed request. */
function failureOf(cause: unknown, signal: AbortSignal): unknown {
  if (cause instanceof GraphError) return cause;
  if (!signal.aborted)
    return graphFailure('UPSTREAM_UNAVAILABLE', 'The graph does not respond. Start it, or set GRAPH_URL to its URL.', cause);
  if (signal.reason instanceof GraphError) return signal.reason;
  return new GraphError('SHUTTING_DOWN', 'The call was cancelled, or the server is shutting down.', { cause });
}

/** Reads server-sent events from a body. Rejects with RESULT_TOO_LARGE for an event of more characters than this. */
export const readEventStream = (body: AsyncIterable<Uint8Array>, maxBufferSize: number): AsyncIterable<EventSourceMessage> =>
  ReadableStream.from(body)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new EventSourceParserStream({
        maxBufferSize,
        onError(error) {
          if (error instanceof ParseError && error.type === 'max-buffer-size-exceeded') throw tooLarge();
        },
      }),
    );
