import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult } from 'graphql';
import { errorCodes, isErrorCode } from '../lib/errors.ts';
import type { RunningOperation } from '../operation/operation-registry.ts';
import { MutationOverGetError } from '../operation/prepare.ts';
import { serializeResponse } from '../operation/response.ts';
import type { ApolloRequest, RunningApollo } from './apollo.ts';
import type { UnsentBytes } from './clients/connection.ts';
import type { ServerContext } from './context.ts';
import type { ParsedRequest } from './requests/graph-request.ts';
import { cacheControl, isNotModified, setCacheHeaders } from './requests/http-cache.ts';
import { type ErrorStatusOptions, errorResponseStatus, retryAfterHeaders } from './requests/http-errors.ts';
import { BLOCK_HEADER } from './requests/request-options.ts';

/** Reads chunks one by one and releases each when it has been read, so that memory shrinks while a client reads. The rest counts as unsent. */
class ChunkStream extends Readable {
  readonly #chunks: (string | Buffer)[];
  readonly #unsent: UnsentBytes;
  /** Number of bytes that are not read yet. */
  #rest = 0;
  #next = 0;

  constructor(chunks: readonly (string | Buffer)[], unsent: UnsentBytes) {
    super();
    this.#chunks = [...chunks];
    this.#unsent = unsent;
    for (const chunk of chunks) this.#rest += Buffer.byteLength(chunk);
    unsent.add(this.#rest);
  }

  /** Number of bytes that are not read yet. */
  get restBytes(): number {
    return this.#rest;
  }

  override _read(): void {
    const chunk = this.#chunks[this.#next];
    this.#chunks[this.#next] = '';
    this.#next += 1;
    if (chunk !== undefined) this.#remove(Buffer.byteLength(chunk));
    this.push(chunk ?? null);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#remove(this.#rest);
    this.#chunks.length = 0;
    done(error);
  }

  #remove(bytes: number): void {
    this.#rest -= bytes;
    this.#unsent.remove(bytes);
  }
}

/** Executes an operation and responds with one JSON body of this content type. */
export type SingleResponseHandler = ReturnType<typeof createSingleResponseHandler>;

export const createSingleResponseHandler =
  (apollo: RunningApollo, { pipeline, connections, statusOptions }: ServerContext) =>
  async (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest, contentType: string): Promise<FastifyReply> => {
    const running = pipeline.operations.begin(request.id, parsed.options.block, parsed.options.origin);
    endWithResponse(running, request, reply);
    const { operation } = running;
    const apolloRequest: ApolloRequest = { parsed, operation };
    const result = await apollo.execute(apolloRequest, request);
    const { prepared, rejection } = apolloRequest;
    reply.type(contentType).code(200);
    if (rejection instanceof MutationOverGetError) reply.code(405).header('allow', 'POST');
    if (result.errors) setErrorStatus(reply, result, statusOptions);
    setCacheHeaders(reply, cacheControl(operation.lifetime, rejection === undefined && prepared?.caller !== undefined));
    const block = rejection !== undefined ? undefined : pipeline.headerBlockOf(operation);
    if (block !== undefined) reply.header(BLOCK_HEADER, block);
    const chunks = serializeResponse(result);
    if (isNotModified(request, reply, chunks)) return reply.code(304).removeHeader('content-type').send();
    if (chunks.length === 1) return reply.send(chunks[0]);
    // Each chunk is freed once the connection has taken it.
    const stream = new ChunkStream(chunks, connections.unsentBytesOf(request.raw.socket));
    return reply.header('content-length', stream.restBytes).send(stream);
  };

/** Sets the HTTP status that follows from the errors, unless the reply has one, and its headers. */
function setErrorStatus(reply: FastifyReply, { data, errors }: FormattedExecutionResult, options: ErrorStatusOptions): void {
  const [first] = errors!;
  const code = first?.extensions?.code;
  if (!data && isErrorCode(code) && reply.statusCode === 200) {
    const isRequestError = !first?.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
    if (isRequestError) reply.code(errorCodes[code].http);
  }
  reply.code(errorResponseStatus(options, reply.statusCode, data !== undefined));
  if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer');
  reply.headers(retryAfterHeaders(reply.statusCode));
}

/** Ends an operation when its response is complete, and cancels it when the client disconnects before that. */
function endWithResponse(
  { end, cancel }: RunningOperation,
  { raw: { socket } }: FastifyRequest,
  { raw: response }: FastifyReply,
) {
  const onClose = (): void => {
    socket.off('close', onClose);
    if (response.writableFinished) end();
    else cancel();
  };
  if (response.destroyed) cancel();
  else response.once('close', onClose);
  // Node emits no `close` on a pipelined response that still waits for the socket.
  if (!response.socket) socket.setMaxListeners(0).once('close', onClose);
}
