import { addAbortSignal } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type ErrorSource, GraphError } from '../errors.ts';
import { IncrementalJsonParser } from './incremental-json-parser.ts';

/** Name and source of an upstream in errors. */
export interface UpstreamIdentity {
  /** Subject of the messages, such as "The node". */
  readonly name: string;
  readonly source: ErrorSource;
  /** Name of the setting that limits the size of a response. If set, a larger response is RESULT_TOO_LARGE, else UPSTREAM_BAD_RESPONSE. */
  readonly sizeSetting?: string;
}

/** Size limit and parsing mode of a body. */
export interface BodyOptions {
  /** Maximum size in bytes, decompressed. */
  readonly maxResponseBytes: number;
  /** Parse the body in slices while it arrives, so that a large one does not block the event loop. */
  readonly inSlices?: boolean;
}

const CONTENT_DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Parses a JSON text from its bytes. Both methods throw a SyntaxError. */
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
 * Reads, decompresses and parses the body of a response. `body` of the result is undefined when the body is not JSON; `bytes` is its
 * decompressed size. Throws UPSTREAM_BAD_RESPONSE, RESULT_TOO_LARGE or the stream's own error.
 */
export async function readJsonBody(
  { headers, body }: Dispatcher.ResponseData,
  { maxResponseBytes, inSlices = false }: BodyOptions,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<{ readonly body: unknown; readonly bytes: number }> {
  const { name, source } = upstream;
  const parser: BodyParser = inSlices ? new IncrementalJsonParser() : new BufferedJsonParser();
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = CONTENT_DECODERS[encoding]?.();
  // The request can be complete while its body is still being decompressed; then aborting the request no longer ends the stream.
  if (decoder) addAbortSignal(signal, decoder);
  let bytes = 0;
  let isJson = true;
  try {
    for await (const chunk of decoder ? body.on('error', (error) => decoder.destroy(error)).pipe(decoder) : body) {
      // Counted after decompression, so that a small response cannot expand beyond the limit.
      bytes += (chunk as Buffer).length;
      if (bytes > maxResponseBytes) throw responseTooLarge(upstream, maxResponseBytes);
      try {
        if (isJson && parser.push(chunk as Buffer)) await yieldToEventLoop();
      } catch {
        // The rest of the body is read as well, because the caller needs the status.
        isJson = false;
      }
    }
  } catch (cause) {
    body.destroy();
    if (cause instanceof GraphError || !String((cause as { code?: unknown }).code).startsWith('Z_')) throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent a response that cannot be decompressed.`, { source, cause });
  }
  return { body: isJson ? finishParsing(parser) : undefined, bytes };
}

function responseTooLarge({ name, source, sizeSetting }: UpstreamIdentity, limit: number): GraphError {
  const message = `${name} sent a response of more than ${limit} bytes.`;
  return sizeSetting
    ? new GraphError('RESULT_TOO_LARGE', `${message} ${sizeSetting} sets the limit.`, { source, limit })
    : new GraphError('UPSTREAM_BAD_RESPONSE', message, { source });
}

function finishParsing(parser: BodyParser): unknown {
  try {
    return parser.end();
  } catch {
    return undefined;
  }
}
