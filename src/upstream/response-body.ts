import { addAbortSignal } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import { OperationBudget } from '../lib/operation-budget.ts';
import { ListJsonParser } from './list-json-parser.ts';

/** Name and source of an upstream in errors. */
export interface UpstreamIdentity {
  /** Subject of the messages, such as "The node". */
  readonly name: string;
  readonly source: ErrorSource;
  /** Name of the setting that limits the size of a response. If set, a larger response is RESULT_TOO_LARGE, else UPSTREAM_BAD_RESPONSE. */
  readonly sizeSetting?: string;
}

/** Size limit of a body, and the operation that reads it. */
export interface BodyOptions {
  /** Maximum size in bytes, decompressed. */
  readonly maxResponseBytes: number;
  /** Counts the bytes, also those of a response that fails, and the time that parsing takes; undefined for reads that belong to no operation. */
  readonly budget?: OperationBudget | undefined;
  /** Receives the entries of a long response to a batch as they are parsed. The body then contains only the others. */
  readonly onEntries?: ((entries: readonly unknown[]) => void) | undefined;
}

const CONTENT_DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

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
export async function readJsonBody(
  { headers, body }: Dispatcher.ResponseData,
  { maxResponseBytes, budget = new OperationBudget(), onEntries }: BodyOptions,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<{ readonly body: unknown; readonly bytes: number }> {
  const { name, source } = upstream;
  const parser = new BodyParser();
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
      onEntries?.(parser.takeEntries());
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
