import { addAbortSignal } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { onAbort, rejectOnAbort } from '../lib/abort.ts';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import { OperationBudget } from '../lib/operation-budget.ts';
import { type TraceContext, traceHeaders } from '../lib/trace-context.ts';
import { ListJsonParser } from './list-json-parser.ts';

/** Name and source of an upstream in errors. */
export interface UpstreamIdentity {
  /** Subject of the messages, such as "The node". */
  readonly name: string;
  readonly source: ErrorSource;
  /** Name of the setting that limits the size of a response. If set, a larger response is RESULT_TOO_LARGE, else UPSTREAM_BAD_RESPONSE. */
  readonly sizeSetting?: string;
}

/** One request to an upstream: a POST with JSON-RPC calls, or a GET. */
export interface ObservedRequest {
  readonly upstream: ErrorSource;
  /** Scheme, host and port; contains no secret. */
  readonly label: string;
  /** `POST` for JSON-RPC; for a GET its path without ids and query, such as `GET /wizards/{id}`. */
  readonly route: string;
  /** The JSON-RPC calls in the request; undefined for a GET. */
  readonly calls?: readonly { readonly method: string }[];
  /** The trace of the operation that sends the request; undefined for requests that belong to no operation. */
  readonly trace: TraceContext | undefined;
}

/** `ok`, or the code of the error. */
type UpstreamOutcome = string;

/** Watches the requests to all upstreams, for metrics and traces. */
export interface UpstreamObserver {
  /** Called when a request is sent. Returns the trace to pass on, and the function that receives the outcome. */
  start(request: ObservedRequest): {
    readonly trace: TraceContext | undefined;
    readonly end: (outcome: UpstreamOutcome) => void;
  };
  /** Called with the outcome of each JSON-RPC call that was sent. */
  recordCall(method: string, outcome: UpstreamOutcome): void;
}

/** Sends a request under observation. `send` receives the headers of the trace; `outcomeOf` is the outcome of a response. */
export async function observeRequest<R>(
  observer: UpstreamObserver | undefined,
  request: ObservedRequest,
  send: (headers: Readonly<Record<string, string>>) => Promise<R>,
  outcomeOf: (response: R) => UpstreamOutcome,
): Promise<R> {
  const { trace, end } = observer?.start(request) ?? { trace: request.trace, end: () => {} };
  try {
    const response = await send(trace ? traceHeaders(trace) : NO_HEADERS);
    end(outcomeOf(response));
    return response;
  } catch (error) {
    end(error instanceof GraphError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Response of an upstream; `body` is undefined when it is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** A JSON response with its headers and the decompressed size of its body in bytes. */
export interface UpstreamResponse extends JsonResponse {
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: number;
}

/** One request for JSON with its limits. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether to request a compressed response. */
  readonly compressed: boolean;
  /** Covers the request from now on to the end of the response. Wait for a connection before. */
  readonly timeoutMs: number;
  /** Maximum size of the response in bytes, decompressed. */
  readonly maxResponseBytes: number;
  /** Counts the bytes, also those of a response that fails, and the time that parsing takes; undefined for reads that belong to no operation. */
  readonly budget?: OperationBudget | undefined;
  /** Receives the entries of a long response to a batch as they are parsed. The body then contains only the others. */
  readonly onEntries?: ((entries: readonly unknown[]) => void) | undefined;
}

/**
 * Sends one request and reads the whole response within the limits on time and size. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE,
 * UPSTREAM_BAD_RESPONSE, RESULT_TOO_LARGE, or the reason of the signal when it aborts. Each of these errors closes the connection.
 */
export async function sendHttpRequest(
  pool: Pool,
  request: UpstreamRequest,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<UpstreamResponse> {
  const { method, path, headers, body, compressed, timeoutMs, budget } = request;
  const { name, source } = upstream;
  if (body !== undefined) budget?.addUpstreamBytes(body.length);
  budget?.throwIfExhausted();
  signal.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(
    () => attempt.abort(new GraphError('UPSTREAM_TIMEOUT', `${name} did not respond in time.`, { source })),
    timeoutMs,
  );
  const unregister = onAbort(signal, () => attempt.abort(signal.reason));
  try {
    // The pool itself checks the signal only once the request has a connection.
    const response = await rejectOnAbort(
      pool.request({
        method,
        path,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          ...(compressed && { 'accept-encoding': 'gzip' }),
        },
        ...(body !== undefined && { body }),
        signal: attempt.signal,
      }),
      attempt.signal,
    );
    const retryAfter = response.headers['retry-after'];
    const read = await readJsonBody(response, request, attempt.signal, upstream);
    return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], headers: response.headers, ...read };
  } catch (cause) {
    const reason: unknown = attempt.signal.reason;
    if (reason instanceof GraphError) throw reason;
    if (cause instanceof GraphError) throw cause;
    // The error of the HTTP client can contain the address, so it is only the `cause`, which clients do not see.
    const message = `${name} could not be reached, or the connection closed before the response was complete.`;
    throw new GraphError('UPSTREAM_UNAVAILABLE', message, { source, cause });
  } finally {
    clearTimeout(timer);
    unregister();
  }
}

/** Bytes that are parsed at once; takes less than ten milliseconds. */
const MAX_UNSLICED_BYTES = 1024 * 1024;

/** Parses a short body at once, which is faster, and a longer one in slices while it arrives. */
class BodyParser {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #slices: ListJsonParser | undefined;

  /** Returns true when it has parsed a slice. Throws a SyntaxError. */
  push(chunk: Buffer): boolean {
    if (this.#slices) return this.#slices.push(chunk);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_UNSLICED_BYTES) return false;
    const buffered = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#slices = new ListJsonParser(buffered);
    return this.#slices.push(buffered);
  }

  /** Returns the parsed entries of a batch and removes them from the body. */
  takeEntries(): readonly unknown[] {
    return this.#slices?.isList ? this.#slices.take() : [];
  }

  /** Throws a SyntaxError. */
  end(): unknown {
    return this.#slices ? this.#slices.end() : JSON.parse(Buffer.concat(this.#chunks).toString());
  }
}

/**
 * Reads, decompresses and parses the body of a response. `body` of the result is undefined when the body is not JSON; `bytes` is its
 * decompressed size. Yields to the event loop while it parses a long body. Throws UPSTREAM_BAD_RESPONSE, RESULT_TOO_LARGE or the stream's
 * own error.
 */
async function readJsonBody(
  { headers, body, statusCode }: Dispatcher.ResponseData,
  { maxResponseBytes, budget = new OperationBudget(), onEntries }: UpstreamRequest,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<{ readonly body: unknown; readonly bytes: number }> {
  const { name, source } = upstream;
  const parser = new BodyParser();
  const decoder = /^(?:x-)?gzip$/i.test(String(headers['content-encoding'])) ? createGunzip() : undefined;
  // The request can be complete while its body is still being decompressed; then aborting the request no longer ends the stream.
  if (decoder) addAbortSignal(signal, decoder);
  let bytes = 0;
  let isJson = true;
  try {
    for await (const chunk of decoder ? body.on('error', (error) => decoder.destroy(error)).pipe(decoder) : body) {
      // Counted after decompression, so that a small response cannot expand beyond the limit.
      bytes += (chunk as Buffer).length;
      budget.addUpstreamBytes((chunk as Buffer).length);
      if (bytes > maxResponseBytes) throw responseTooLarge(upstream, maxResponseBytes);
      let hasParsed = false;
      try {
        hasParsed = isJson && parser.push(chunk as Buffer);
      } catch {
        // The rest of the body is read as well, because the caller needs the status.
        isJson = false;
      }
      if (!hasParsed) continue;
      // The entries of an error response are no results.
      if (statusCode === 200) onEntries?.(parser.takeEntries());
      if (budget.shouldYield()) await budget.yieldTurn();
    }
  } catch (cause) {
    body.destroy();
    if (cause instanceof GraphError || !String((cause as { code?: unknown }).code).startsWith('Z_')) throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent a response that cannot be decompressed.`, { source, cause });
  }
  budget.beginTurn();
  const parsed = isJson ? finishParsing(parser) : undefined;
  // The caller decodes a long body in a turn of its own.
  if (bytes > MAX_UNSLICED_BYTES && budget.shouldYield()) await budget.yieldTurn();
  return { body: parsed, bytes };
}

/** The error of a response that exceeds the size limit of its request. */
export class OversizedResponseError extends GraphError {}

function responseTooLarge({ name, source, sizeSetting }: UpstreamIdentity, limit: number): GraphError {
  const message = `${name} sent a response of more than ${limit} bytes.`;
  return sizeSetting
    ? new OversizedResponseError('RESULT_TOO_LARGE', `${message} ${sizeSetting} sets the limit.`, { source, limit })
    : new OversizedResponseError('UPSTREAM_BAD_RESPONSE', message, { source });
}

function finishParsing(parser: BodyParser): unknown {
  try {
    return parser.end();
  } catch {
    return undefined;
  }
}
