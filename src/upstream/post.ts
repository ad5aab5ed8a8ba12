import { addAbortSignal } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { type ErrorSource, GraphError } from '../errors.ts';
import { onAbort } from './abort.ts';
import type { Endpoint } from './endpoint.ts';

/** What an upstream answered to one request; `body` is undefined when it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** One request for JSON, and how much time and memory it may take. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether to ask for a compressed answer. */
  readonly compressed: boolean;
  readonly timeoutMs: number;
  /** Most bytes of the answer, decompressed. */
  readonly largest: number;
}

/** Whom an error is about, in words and as its `source`. */
export interface Upstream {
  readonly name: string;
  readonly source: ErrorSource;
}

const NODE: Upstream = { name: 'The node', source: 'node' };

/** geth's own limit for a message. */
const LARGEST_BODY = 32 * 1024 * 1024;

const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends one JSON text to a node and reads the whole answer; as `exchange`. */
export const post = (
  pool: Pool,
  { path, headers, compressed }: Endpoint,
  payload: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answer> =>
  exchange(pool, { method: 'POST', path, headers, body: payload, compressed, timeoutMs, largest: LARGEST_BODY }, signal, NODE);

/**
 * Sends one request and reads the whole answer, in a bounded time and size. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE
 * or UPSTREAM_BAD_RESPONSE, or the signal's own reason when that ends it; each cuts the connection.
 */
export async function exchange(
  pool: Pool,
  { method, path, headers, body, compressed, timeoutMs, largest }: Request,
  signal: AbortSignal,
  { name, source }: Upstream,
): Promise<Answer> {
  signal.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(
    () => attempt.abort(new GraphError('UPSTREAM_TIMEOUT', `${name} took too long to answer.`, { source })),
    timeoutMs,
  );
  const off = onAbort(signal, () => attempt.abort(signal.reason));
  try {
    const response = await inTime(
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
    const text = await textOf(response, largest, attempt.signal, { name, source });
    return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], body: parse(text) };
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
function inTime<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    asked.then(resolve, reject);
  });
}

/** The text of an answer. Bytes are counted as they come out of the decoder, so that a small answer cannot become a huge one. */
async function textOf(
  { headers, body }: Dispatcher.ResponseData,
  largest: number,
  signal: AbortSignal,
  { name, source }: Upstream,
): Promise<string> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = DECODERS[encoding]?.();
  // The whole answer may be here long before it is decompressed, and then the request has no end of its own any more.
  if (decoder) addAbortSignal(signal, decoder);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decoder ? body.on('error', (error) => decoder.destroy(error)).pipe(decoder) : body) {
      length += (chunk as Buffer).length;
      if (length > largest) throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent too large an answer.`, { source });
      chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    body.destroy();
    if (cause instanceof GraphError || !String((cause as { code?: unknown }).code).startsWith('Z_')) throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent an answer that cannot be decompressed.`, { source, cause });
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
