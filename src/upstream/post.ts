import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { GraphError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';

/** What a node answered to one POST; `body` is undefined when it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** Largest answer, decompressed: geth's own limit for a message. */
const LARGEST_BODY = 32 * 1024 * 1024;

const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Sends one JSON text and reads the whole answer, in a bounded time and size. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE
 * or UPSTREAM_BAD_RESPONSE, or the signal's own reason when that ends it; each cuts the connection.
 */
export async function post(
  pool: Pool,
  { path, headers, compressed }: Endpoint,
  payload: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answer> {
  signal.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(
    () => attempt.abort(new GraphError('UPSTREAM_TIMEOUT', 'The node took too long to answer.')),
    timeoutMs,
  );
  const pass = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', pass, { once: true });
  try {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json',
        ...(compressed && { 'accept-encoding': 'gzip' }),
      },
      body: payload,
      signal: attempt.signal,
    });
    const retryAfter = response.headers['retry-after'];
    return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], body: parse(await textOf(response)) };
  } catch (cause) {
    const reason: unknown = attempt.signal.reason;
    if (reason instanceof GraphError) throw reason;
    if (cause instanceof GraphError) throw cause;
    // A library's network error names the address and sometimes more, so it goes no further than `cause`.
    throw new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached, or it broke off its answer.', { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', pass);
  }
}

/** The text of an answer. Bytes are counted as they come out of the decoder, so that a small answer cannot become a huge one. */
async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = DECODERS[encoding]?.();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decoder ? body.on('error', (error) => decoder.destroy(error)).pipe(decoder) : body) {
      length += (chunk as Buffer).length;
      if (length > LARGEST_BODY) throw new GraphError('UPSTREAM_BAD_RESPONSE', 'The answer of the node is too large.');
      chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    body.destroy();
    if (cause instanceof GraphError || !(cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_')))
      throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', 'The answer of the node cannot be decompressed.', { cause });
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
