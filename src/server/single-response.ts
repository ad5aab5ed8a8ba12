import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult } from 'graphql';
import type { JsonChunks } from '../graphql/executor/json-output.ts';
import { errorCodes, isErrorCode } from '../lib/errors.ts';
import type { RunningOperation } from '../operation/operation-registry.ts';
import { MutationOverGetError } from '../operation/prepare.ts';
import { serializeResponse } from '../operation/response.ts';
import type { ApolloRequest, RunningApollo } from './apollo.ts';
import type { Connection } from './clients/connections.ts';
import type { ServerContext } from './context.ts';
import { errorResponseStatus, NO_STORE, PRIVATE_NO_STORE, retryAfterHeaders } from './requests/http-errors.ts';
import { BLOCK_HEADER, type ParsedRequest } from './requests/request-options.ts';

/**
 * Yields the chunks one by one and releases each, so that memory shrinks while a client reads. `queuedBytes` counts the
 * chunks that were not yielded.
 */
function* releasedChunks(chunks: (string | Buffer)[], connection: Connection | undefined): Generator<string | Buffer> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
    if (connection) connection.queuedBytes -= Buffer.byteLength(chunk);
    yield chunk;
  }
}

/** Executes an operation and responds with one JSON body of type `contentType`. */
export type SingleResponseHandler = ReturnType<typeof createSingleResponseHandler>;

export const createSingleResponseHandler =
  (apollo: RunningApollo, { pipeline, connections, isDropIn, callers }: ServerContext) =>
  async (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest, contentType: string): Promise<FastifyReply> => {
    const running = pipeline.operations.begin(request.id, parsed.options.block, parsed.options.origin);
    endWithResponse(running, request, reply);
    const { operation } = running;
    const apolloRequest: ApolloRequest = { parsed, operation };
    const result = await apollo.execute(apolloRequest, request);
    const { prepared, rejection } = apolloRequest;
    reply.type(contentType).code(200);
    if (rejection instanceof MutationOverGetError) reply.code(405).header('allow', 'POST');
    if (result.errors) setErrorStatus(reply, result, isDropIn);
    const isPrivate = callers?.isRequired === true || (rejection === undefined && prepared?.caller !== undefined);
    setCacheHeaders(reply, cacheControl(operation.lifetime, isPrivate));
    const block = rejection !== undefined ? undefined : pipeline.headerBlockOf(operation);
    if (block !== undefined) reply.header(BLOCK_HEADER, block);
    const chunks = serializeResponse(result);
    if (isNotModified(request, reply, chunks)) return reply.code(304).removeHeader('content-type').send();
    // Responses that are written together wake a client on this machine once; see bench/README.md.
    await endOfTurn();
    if (chunks.length === 1) return reply.send(chunks[0]);
    const bytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
    const connection = connections.of(request.raw.socket);
    if (connection) connection.queuedBytes += bytes;
    return reply
      .header('content-length', bytes)
      .send(Readable.from(releasedChunks([...chunks], connection), { objectMode: false }));
  };

/** Sets the HTTP status for the errors, unless a status is set. Also sets the headers of the status. */
function setErrorStatus(reply: FastifyReply, { data, errors }: FormattedExecutionResult, isDropIn: boolean): void {
  const [first] = errors!;
  const code = first?.extensions?.code;
  if (!data && isErrorCode(code) && reply.statusCode === 200) {
    const isRequestError = !first?.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
    if (isRequestError) reply.code(errorCodes[code].http);
  }
  reply.code(errorResponseStatus(isDropIn, reply.statusCode, data !== undefined));
  if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer');
  reply.headers(retryAfterHeaders(reply.statusCode));
}

/** Ends an operation when its response is complete, and cancels it when the client disconnects earlier. */
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

const YEAR_SECONDS = 31_536_000;

/** The request headers that select the response, besides the URL. */
const REPRESENTATION_HEADERS = 'accept, x-graph-block, x-graph-min-block, x-graph-verify, x-graph-cost';

/**
 * Returns the header `cache-control` for the lifetime of a response in seconds; undefined forbids caches to store the
 * response. `isPrivate`: the response has data of its caller.
 */
function cacheControl(lifetime: number | undefined, isPrivate = false): string {
  if (isPrivate) return PRIVATE_NO_STORE;
  if (lifetime === undefined) return NO_STORE;
  if (lifetime === Number.POSITIVE_INFINITY) return `public, max-age=${YEAR_SECONDS}, immutable`;
  // A cache must not serve an older head, not even while this server is unavailable.
  return `public, max-age=${lifetime}, must-revalidate`;
}

/** Sets the headers for caches: `cache-control`, which forbids to store errors, and `vary`. */
function setCacheHeaders(reply: FastifyReply, control: string): void {
  reply.header('cache-control', reply.statusCode === 200 || control === PRIVATE_NO_STORE ? control : NO_STORE);
  const names = reply.getHeader('vary');
  reply.header('vary', names === undefined ? REPRESENTATION_HEADERS : `${names}, ${REPRESENTATION_HEADERS}`);
}

/**
 * Sets the `etag` of a cacheable GET response. Returns whether the client already has the response.
 * Only responses to GET have an `etag`, because hashing takes about a second for each gigabyte.
 */
function isNotModified({ method, headers }: FastifyRequest, reply: FastifyReply, chunks: JsonChunks): boolean {
  if (method !== 'GET' || String(reply.getHeader('cache-control')).includes(NO_STORE)) return false;
  const etag = entityTag(String(reply.getHeader('content-type')), chunks);
  reply.header('etag', etag);
  return matchesEntityTag(headers['if-none-match'], etag);
}

/**
 * A strong entity tag. It covers the media type, because `accept` selects between two media types with equal bodies.
 */
function entityTag(contentType: string, chunks: JsonChunks): string {
  const hash = createHash('sha256').update(contentType);
  for (const chunk of chunks) hash.update(chunk);
  return `"${hash.digest('base64url')}"`;
}

/** Compares the tags in `if-none-match` weakly, as RFC 9110 requires. */
const matchesEntityTag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
