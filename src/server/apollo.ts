import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { type FormattedExecutionResult, type GraphQLSchema, parse } from 'graphql';
import { JsonText } from '../graphql/executor/index.ts';
import type { JsonChunks } from '../graphql/executor/json-output.ts';
import { formatError, rootCause } from '../graphql/format-error.ts';
import { errorCodes, isErrorCode } from '../lib/errors.ts';
import type { Operation } from '../operation/operation.ts';
import type { RunningOperation } from '../operation/operation-registry.ts';
import type { OperationPipeline } from '../operation/pipeline.ts';
import { MutationOverGetError, type PreparedOperation } from '../operation/prepare.ts';
import { serializeResponse } from '../operation/response.ts';
import { ChunkStream } from './chunk-stream.ts';
import type { Connections } from './clients/connections.ts';
import type { ParsedRequest } from './requests/graph-request.ts';
import { cacheControl, withCacheHeaders } from './requests/http-cache.ts';
import { type ErrorStatusOptions, errorResponseStatus, retryAfterHeaders } from './requests/http-errors.ts';
import { BLOCK_HEADER } from './requests/request-options.ts';

/** Context that Apollo Server passes to its plugins for one request. */
interface ApolloContext {
  readonly operation: Operation;
  readonly parsed: ParsedRequest;
  /** Receives a response that is too long for one text. */
  readonly setLongBody: (chunks: JsonChunks) => void;
}

/**
 * Runs operations through the pipeline. Apollo Server parses HTTP requests and negotiates content types; the executor cannot be its
 * `gateway`, which would retain each request until the next major garbage collection (docs/decisions/0008).
 */
const pipelinePlugin = (pipeline: OperationPipeline, errorStatus: ErrorStatusOptions): ApolloServerPlugin<ApolloContext> => ({
  async requestDidStart() {
    return {
      async responseForOperation({ queryHash, contextValue: { operation, parsed } }) {
        const http: { status?: number; headers: HeaderMap } = { headers: new HeaderMap() };
        let singleResult: FormattedExecutionResult;
        let prepared: PreparedOperation | undefined;
        try {
          prepared = pipeline.prepare(parsed.request, {
            ...parsed.options,
            documentHash: queryHash,
            isSingleResponse: true,
          });
          await pipeline.waitForMinBlock(prepared, operation);
          singleResult = await pipeline.execute(prepared, operation);
          http.headers.set('cache-control', cacheControl(operation.lifetime, prepared.caller !== undefined));
          const block = pipeline.headerBlockOf(operation);
          if (block !== undefined) http.headers.set(BLOCK_HEADER, block);
        } catch (error) {
          singleResult = { errors: pipeline.reject(error, parsed.options, prepared) };
          if (error instanceof MutationOverGetError) {
            http.status = 405;
            http.headers.set('allow', 'POST');
          }
        }
        return { http, body: { kind: 'single', singleResult } };
      },
      async willSendResponse({ response: { http, body }, contextValue }) {
        if (body.kind !== 'single') return;
        const { data, errors } = body.singleResult;
        if (isLong(data)) contextValue.setLongBody(serializeResponse(body.singleResult));
        if (!errors) return;
        const [first] = errors;
        // Apollo's own errors, such as that of a persisted query, have no request id yet.
        if (data === undefined)
          for (const error of errors) Object.assign(error.extensions ?? {}, { requestId: contextValue.operation.requestId });
        const code = first?.extensions?.code;
        if (!data && isErrorCode(code)) {
          const isRequestError = !first?.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
          if (isRequestError && errorCodes[code].http !== 200) http.status ??= errorCodes[code].http;
        }
        const status = errorResponseStatus(errorStatus, http.status ?? 200, data !== undefined);
        if (status !== 200) http.status = status;
        if (status === 401) http.headers.set('www-authenticate', 'Bearer');
        for (const [name, value] of Object.entries(retryAfterHeaders(status))) http.headers.set(name, value);
      },
    };
  },
});

/** Logs unexpected errors inside Apollo Server. */
const logErrorsPlugin = (app: FastifyInstance): ApolloServerPlugin<ApolloContext> => ({
  async unexpectedErrorProcessingRequest({ error, requestContext }) {
    app.log.error({ err: rootCause(error), requestId: requestContext.contextValue.operation.requestId }, 'request failed');
  },
});

/** Makes Apollo Server skip parsing and validation, which the pipeline does for all transports. */
const PLACEHOLDER_DOCUMENT = parse('{ __typename }');
const PLACEHOLDER_DOCUMENT_STORE: NonNullable<ApolloServerOptions<ApolloContext>['documentStore']> = {
  get: async () => PLACEHOLDER_DOCUMENT,
  set: async () => {},
  delete: async () => {},
};

export interface ApolloOptions {
  readonly app: FastifyInstance;
  readonly schema: GraphQLSchema;
  readonly pipeline: OperationPipeline;
  readonly connections: Connections;
  readonly errorStatus: ErrorStatusOptions;
}

/** Starts Apollo Server, the HTTP front of the pipeline, and creates its request handler. */
export async function startApollo({ app, schema, pipeline, connections, errorStatus }: ApolloOptions) {
  const apollo = new ApolloServer<ApolloContext>({
    schema,
    stringifyResult: (result) => (isLong(result.data) ? LONG_BODY : String(serializeResponse(result)[0])),
    formatError,
    // `noIntrospectionRule` of the pipeline rejects introspection on all transports.
    introspection: true,
    csrfPrevention: true,
    // A list of operations in one body would multiply every limit.
    allowBatchedHttpRequests: false,
    // Automatic persisted queries would cache documents of any client.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    documentStore: PLACEHOLDER_DOCUMENT_STORE,
    stopOnTerminationSignals: false,
    plugins: [
      pipelinePlugin(pipeline, errorStatus),
      logErrorsPlugin(app),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await apollo.start();
  const handler = fastifyApolloHandler(apollo, {
    context: async (request, reply) => {
      const parsed = request.parsedGraphRequest!;
      const running = pipeline.operations.begin(request.id, parsed.options.block, parsed.options.origin);
      endWithResponse(running, request, reply);
      const setLongBody = (chunks: JsonChunks): void => {
        request.longResponseBody = chunks;
      };
      return { operation: running.operation, parsed, setLongBody };
    },
  });
  return { apollo, handler: withLongBody(withCacheHeaders(withRequestId(handler)), connections) };
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

/** Stands for a body that is written in chunks, because Apollo Server passes on one text. */
const LONG_BODY = '';

const isLong = (data: unknown): boolean => data instanceof JsonText && typeof data.chunks[0] !== 'string';

/** Sends a long body in chunks, and frees each once the connection has taken it. */
function withLongBody(handle: RouteHandlerMethod, connections: Connections): RouteHandlerMethod {
  return async function (request, reply) {
    const body = await handle.call(this, request, reply);
    const chunks = request.longResponseBody;
    request.longResponseBody = undefined;
    // Apollo Server rejects an unsupported `accept` only after the execution.
    if (!chunks || body !== LONG_BODY) return body;
    const stream = new ChunkStream(chunks, connections.unsentBytesOf(request.raw.socket));
    reply.header('content-length', stream.restBytes);
    return stream;
  };
}

/** Adds the request id to errors that Apollo Server reports before there is an operation, such as that of an unsupported `accept`. */
function withRequestId(handle: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    const body = await handle.call(this, request, reply);
    if (reply.statusCode < 400 || typeof body !== 'string' || body.includes('"requestId"')) return body;
    const { errors, ...rest } = JSON.parse(body) as { errors?: { extensions?: object }[] };
    const withId = errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: request.id } }));
    return JSON.stringify({ ...rest, errors: withId });
  };
}
