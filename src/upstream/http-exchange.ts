import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type Cancellation, onAbort } from '../lib/abort.ts';
import { connectionFailure, type ErrorSource, GraphError } from '../lib/errors.ts';
import { OperationBudget } from '../lib/operation-budget.ts';
import { ListJsonParser, MAX_UNSLICED_BYTES } from './list-json-parser.ts';

/** Name and source of an upstream in errors. */
export interface UpstreamIdentity {
  /** Subject of error messages, such as "The node". */
  readonly name: string;
  readonly source: ErrorSource;
  /**
   * Setting that limits the response size. With it, a larger response fails with RESULT_TOO_LARGE, without it with
   * UPSTREAM_BAD_RESPONSE.
   */
  readonly sizeSetting?: string;
}

/** Limits of one exchange, and the operation that it belongs to. */
export interface ExchangeOptions {
  /**
   * Timeout from the construction of the exchange to the end of the response. The caller must already have a
   * connection.
   */
  readonly timeoutMs: number;
  /** Maximum size of the body in bytes, decompressed. */
  readonly maxResponseBytes: number;
  /**
   * Counts the bytes, including the bytes of a failed response, and the time of parsing; undefined for reads that
   * belong to no operation.
   */
  readonly budget?: OperationBudget | undefined;
  /**
   * Receives the entries of a long response to a batch as they are parsed. The body then contains only the other
   * entries.
   */
  readonly onEntries?: ((entries: readonly unknown[]) => void) | undefined;
}

/** Headers of a response, by their names in lower case. */
export type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Response of an upstream; `body` is undefined when it is not JSON. `isHtml`: it is HTML instead. */
export interface JsonResponse {
  readonly status: number;
  readonly isHtml?: boolean;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** A JSON response with its headers and the decompressed size of its body in bytes. */
export interface UpstreamResponse extends JsonResponse {
  readonly headers: ResponseHeaders;
  readonly bytes: number;
}

/**
 * One request and its response. Receives the events of undici, without an abort signal or a stream for each request,
 * except a decoder for gzip, and parses the body while it arrives. Calls `resolve` with the response, or `reject` with
 * one of these errors: UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE, UPSTREAM_BAD_RESPONSE, RESULT_TOO_LARGE, or the reason
 * of the signal when the signal aborts. Each of these errors closes the connection.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #upstream: UpstreamIdentity;
  readonly #budget: OperationBudget;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: GraphError) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #unregister: () => void;
  readonly #parser = new ListJsonParser();
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: ReturnType<typeof createGunzip> | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  #bytes = 0;
  #error: GraphError | undefined;

  constructor(
    options: ExchangeOptions,
    upstream: UpstreamIdentity,
    signal: Cancellation,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: GraphError) => void,
  ) {
    this.#options = options;
    this.#upstream = upstream;
    this.#budget = options.budget ?? new OperationBudget();
    this.#resolve = resolve;
    this.#reject = reject;
    const { name, source } = upstream;
    this.#timer = setTimeout(
      () => this.#fail(new GraphError('UPSTREAM_TIMEOUT', `${name} did not respond in time.`, { source })),
      options.timeoutMs,
    );
    this.#unregister = onAbort(signal, () => this.#fail(signal.reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The exchange has failed before the request had a connection.
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (!/^(?:x-)?gzip$/i.test(String(headers['content-encoding']))) return;
    this.#decoder = createGunzip()
      .on('data', (chunk: Buffer) => this.#guard(() => this.#read(chunk)))
      .on('drain', () => controller.resume())
      .on('end', () => this.#guard(() => this.#end()))
      .on('error', (cause) => {
        const { name, source } = this.#upstream;
        const message = `${name} sent a response that cannot be decompressed.`;
        this.#fail(new GraphError('UPSTREAM_BAD_RESPONSE', message, { source, cause }));
      });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#decoder) this.#read(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    // A response without a body, such as 304, may name an encoding.
    if (this.#decoder && (this.#decoder.bytesWritten > 0 || this.#decoder.writableLength > 0)) this.#decoder.end();
    else this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /**
   * Runs a listener of the decoder; an exception fails the exchange. undici passes exceptions of
   * its callbacks to `onResponseError`.
   */
  #guard(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#fail(error);
    }
  }

  #read(chunk: Buffer): void {
    if (this.#error) return;
    // Counted after decompression, so that a small response cannot expand beyond the limit.
    this.#bytes += chunk.length;
    this.#budget.addUpstreamBytes(chunk.length);
    const { maxResponseBytes, onEntries } = this.#options;
    if (this.#bytes > maxResponseBytes) throw responseTooLarge(this.#upstream, maxResponseBytes);
    if (!this.#parser.push(chunk)) return;
    // Pass only the entries of status 200: entries of an error response are not results.
    if (this.#status === 200) onEntries?.(this.#parser.take());
    if (!this.#budget.shouldYield()) return;
    const source = this.#decoder ?? this.#controller!;
    source.pause();
    this.#continueInNextTurn(() => source.resume());
  }

  #end(): void {
    if (this.#error) return;
    this.#budget.beginTurn();
    let body: unknown;
    try {
      body = this.#parser.end();
    } catch {
      // The caller reports a body that is not JSON.
    }
    // If this turn is used up, resolve in a later turn, because the caller decodes the long body.
    if (this.#bytes > MAX_UNSLICED_BYTES && this.#budget.shouldYield()) this.#continueInNextTurn(() => this.#succeed(body));
    else this.#succeed(body);
  }

  #continueInNextTurn(run: () => void): void {
    const turn = this.#budget.yieldTurn();
    turn.then(run).catch((error: unknown) => this.#fail(error));
  }

  #succeed(body: unknown): void {
    if (this.#error) return;
    this.#release();
    const header = this.#headers['retry-after'];
    const retryAfter = Array.isArray(header) ? header[0] : header;
    const isHtml = body === undefined && /\bhtml\b/i.test(String(this.#headers['content-type']));
    this.#resolve({ status: this.#status, isHtml, retryAfter, headers: this.#headers, body, bytes: this.#bytes });
  }

  #fail(cause: unknown): void {
    if (this.#error) return;
    const { name, source } = this.#upstream;
    // The error of the HTTP client can contain the address, so it is only the `cause`, which clients do not see.
    const message = connectionFailure(name, cause);
    this.#error = cause instanceof GraphError ? cause : new GraphError('UPSTREAM_UNAVAILABLE', message, { source, cause });
    this.#release();
    this.#decoder?.destroy();
    this.#controller?.abort(this.#error);
    this.#reject(this.#error);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#unregister();
  }
}

/** The error of a response that exceeds the size limit of its request. */
export class OversizedResponseError extends GraphError {}

function responseTooLarge({ name, source, sizeSetting }: UpstreamIdentity, limit: number): GraphError {
  const message = `${name} sent a response of more than ${limit} bytes.`;
  return sizeSetting
    ? new OversizedResponseError('RESULT_TOO_LARGE', `${message} ${sizeSetting} sets the limit.`, { source, limit })
    : new OversizedResponseError('UPSTREAM_BAD_RESPONSE', message, { source });
}
