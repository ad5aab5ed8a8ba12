import { addAbortSignal } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { type ErrorSource, GraphError } from '../errors.ts';
import { onAbort } from './abort.ts';
import type { Endpoint } from './endpoint.ts';
import { IncrementalJsonParser } from './incremental-json-parser.ts';

/** What an upstream answered to one request; `body` is undefined when it is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** The same with its headers, and the size of its body in bytes, decompressed. */
export interface UpstreamResponse extends JsonResponse {
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: number;
}

/** One request for JSON, and how much time and memory it may take. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether to ask for a compressed answer. */
  readonly compressed: boolean;
  readonly timeoutMs: number;
  /** Maximum size of the response body in bytes, decompressed. */
  readonly maxResponseBytes: number;
  /** Parse the body in slices while it arrives, so that a large one does not block the process. */
  readonly inSlices?: boolean;
}

/** Whom an error is about, in words and as its `source`. */
export interface UpstreamIdentity {
  readonly name: string;
  readonly source: ErrorSource;
  /** Name of the setting that limits the size of a response; a larger one is RESULT_TOO_LARGE, else UPSTREAM_BAD_RESPONSE. */
  readonly sizeSetting?: string;
}

const NODE: UpstreamIdentity = { name: 'The node', source: 'node' };

/** geth's own limit for a message. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const CONTENT_DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends one JSON text to a node and reads the whole answer; as `exchange`. */
export const postToNode = (
  pool: Pool,
  { path, headers, compressed }: Endpoint,
  payload: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<JsonResponse> =>
  sendHttpRequest(
    pool,
    { method: 'POST', path, headers, body: payload, compressed, timeoutMs, maxResponseBytes: MAX_BODY_BYTES },
    signal,
    NODE,
  );

/**
 * Sends one request and reads the whole answer, in a bounded time and size. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE
 * UPSTREAM_BAD_RESPONSE or RESULT_TOO_LARGE, or the signal's own reason when that ends it; each cuts the connection.
 */
export async function sendHttpRequest(
  pool: Pool,
  { method, path, headers, body, compressed, timeoutMs, maxResponseBytes, inSlices = false }: UpstreamRequest,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<UpstreamResponse> {
  const { name, source } = upstream;
  signal.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(
    () => attempt.abort(new GraphError('UPSTREAM_TIMEOUT', `${name} took too long to answer.`, { source })),
    timeoutMs,
  );
  const off = onAbort(signal, () => attempt.abort(signal.reason));
  try {
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
    const parser = inSlices ? new IncrementalJsonParser() : new BufferedJsonParser();
    const read = await readBody(response, parser, maxResponseBytes, attempt.signal, upstream);
    return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], headers: response.headers, ...read };
  } catch (cause) {
    const reason: unknown = attempt.signal.reason;
    if (reason instanceof GraphError) throw reason;
    if (cause instanceof GraphError) throw cause;
    // A library's network error names the address and sometimes more, so it goes no further than `cause`.
    throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} could not be reached, or it broke off its answer.`, { source, cause });
  } finally {
    clearTimeout(timer);
    off();
  }
}

/** What is asked for, or a rejection when the signal falls: the pool notices that only when a request has a connection, which others may hold for long. */
function rejectOnAbort<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    asked.then(resolve, reject);
  });
}

/** Parses a JSON text from its bytes; both throw a SyntaxError. */
type BodyParser = Pick<IncrementalJsonParser, 'push' | 'end'>;

class BufferedJsonParser implements BodyParser {
  readonly #chunks: Buffer[] = [];

  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    return false;
  }

  end(): unknown {
    return JSON.parse(Buffer.concat(this.#chunks).toString());
  }
}

/**
 * Reads and parses the whole body; `body` is undefined when it is not JSON. Bytes are counted as they come out of the decoder, so that a
 * small answer cannot become a huge one.
 */
async function readBody(
  { headers, body }: Dispatcher.ResponseData,
  parser: BodyParser,
  largest: number,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<Pick<UpstreamResponse, 'body' | 'bytes'>> {
  const { name, source } = upstream;
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = CONTENT_DECODERS[encoding]?.();
  // The whole answer may be here long before it is decompressed, and then the request has no end of its own any more.
  if (decoder) addAbortSignal(signal, decoder);
  let bytes = 0;
  let isJson = true;
  try {
    for await (const chunk of decoder ? body.on('error', (error) => decoder.destroy(error)).pipe(decoder) : body) {
      bytes += (chunk as Buffer).length;
      if (bytes > largest) throw responseTooLarge(upstream, largest);
      try {
        if (isJson && parser.push(chunk as Buffer)) await yieldToEventLoop();
      } catch {
        // Read to its end all the same: the status may explain a body that is not JSON.
        isJson = false;
      }
    }
  } catch (cause) {
    body.destroy();
    if (cause instanceof GraphError || !String((cause as { code?: unknown }).code).startsWith('Z_')) throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent an answer that cannot be decompressed.`, { source, cause });
  }
  return { body: isJson ? finishParsing(parser) : undefined, bytes };
}

function responseTooLarge({ name, source, sizeSetting }: UpstreamIdentity, limit: number): GraphError {
  if (!sizeSetting) return new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent too large an answer.`, { source });
  const message = `${name} sent a response of more than ${limit} bytes. ${sizeSetting} sets how large a response may be.`;
  return new GraphError('RESULT_TOO_LARGE', message, { source, limit });
}

function finishParsing(parser: BodyParser): unknown {
  try {
    return parser.end();
  } catch {
    return undefined;
  }
}
