import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { errorCodes, GraphError, isErrorCode } from '../errors.ts';
import type { Operation } from '../graphql/domain.ts';
import type { ExecutionRequest, SerializedResult } from '../graphql/executor/index.ts';
import {
  type DocumentStore,
  MAX_VALIDATION_ERRORS,
  type OperationLimits,
  validationRules,
} from '../graphql/pipeline/documents.ts';
import { logFailures } from '../graphql/pipeline/failure-log.ts';
import { formatError, rootCause } from '../graphql/pipeline/format-error.ts';
import { withoutSuggestion } from '../graphql/pipeline/limits/introspection.ts';
import { COST_HEADER, type OperationRegistry } from '../graphql/pipeline/operation-registry.ts';
import { formatResult, serializeResponse, truncateErrors } from '../graphql/pipeline/response.ts';
import { createResponseCache, type ResponseStore } from '../graphql/pipeline/response-cache.ts';
import { isSimpleRequest, PREFLIGHT_HEADERS, prefersEventStream } from './requests/graph-request.ts';
import { ORIGIN_NOT_ALLOWED_MESSAGE, retryAfterHeaders, sendError } from './requests/http-errors.ts';
import { isSameOriginRequest, type OriginPolicy } from './requests/origins.ts';

/** The least that an operation's context holds. */
export interface GraphContext {
  readonly operation: Operation;
}

/** `default` as GraphQL over HTTP has it; `eip1767`: an answer with errors is never 200. */
export type ErrorStatus = 'default' | 'eip1767';

const SUBSCRIPTION_NEEDS_STREAM_MESSAGE =
  'A subscription is no single answer: use a WebSocket (graphql-transport-ws) at this address, or accept: text/event-stream.';

/** Names the request in each error, and gives an answer without data the status of its error where that is not about one field. */
const finalizeErrorsPlugin = (errorStatus: ErrorStatus): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue, operation }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const { requestId } = contextValue.operation;
        const [first] = singleResult.errors ?? [];
        if (!first) return;
        const code = first.extensions?.code;
        // A GET for one gets Apollo's own words, which say that POST would help.
        if (operation?.operation === 'subscription' && code === 'BAD_REQUEST') {
          Object.assign(first, { message: SUBSCRIPTION_NEEDS_STREAM_MESSAGE });
          response.http.status = 400;
          response.http.headers.delete('allow');
        }
        if (singleResult.data === undefined) singleResult.errors = truncateErrors(singleResult.errors!);
        for (const error of singleResult.errors!) Object.assign(error.extensions ?? {}, { requestId });
        if (!singleResult.data && isErrorCode(code)) {
          const whole = !first.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
          if (whole && errorCodes[code].http !== 200) response.http.status ??= errorCodes[code].http;
        }
        for (const [name, value] of Object.entries(retryAfterHeaders(response.http.status ?? 200)))
          response.http.headers.set(name, value);
        if (errorStatus === 'eip1767') response.http.status = Math.max(response.http.status ?? 200, 400);
      },
    };
  },
});

/** Refuses what must not run, or cannot run here, as soon as it is known which operation is meant. */
const checkOperationPlugin = (documents: DocumentStore): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ request, operation, document, schema, contextValue }) {
        try {
          const { block } = contextValue.operation;
          const isCostShown = request.http?.headers.get(COST_HEADER) === '1';
          const estimate = documents.checkLimits(request, document, operation, { block, showsCost: isCostShown });
          if (isCostShown) contextValue.operation.estimate = estimate;
          const isStream = operation?.operation === 'subscription' && schema.getSubscriptionType();
          if (isStream) throw new GraphError('BAD_REQUEST', SUBSCRIPTION_NEEDS_STREAM_MESSAGE);
        } catch (error) {
          throw withHttpStatus(error);
        }
      },
    };
  },
});

/** What Apollo answers with the status of the error; without one it takes it for a failure of the server. */
function withHttpStatus(error: unknown): unknown {
  if (!(error instanceof GraphError)) return error;
  return new GraphQLError(error.message, { originalError: error, extensions: { http: { status: errorCodes[error.code].http } } });
}

function rethrowWithHttpStatus<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw withHttpStatus(error);
  }
}

/** The documents as Apollo looks for them: it puts the schema's name before the hash. */
const createDocumentStore = (documents: DocumentStore): NonNullable<ApolloServerOptions<GraphContext>['documentStore']> => ({
  get: async (key) => documents.get(documentHash(key)),
  set: async (key, document) => documents.set(documentHash(key), document),
  delete: async (key) => documents.delete(documentHash(key)),
});

const documentHash = (key: string): string => key.slice(-64);

/**
 * Runs operations by our own executor. Apollo also takes an executor as its `gateway`, but then makes an object for each request
 * that keeps all of it in memory until the next great collection (docs/decisions/0008).
 */
function executorPlugin(
  app: FastifyInstance,
  run: GraphOptions['execute'],
  store: ResponseStore | undefined,
): ApolloServerPlugin<GraphContext> {
  const answers = store && createResponseCache(store);
  return {
    async requestDidStart() {
      return {
        async responseForOperation({ document, operation, queryHash, request: { operationName, variables }, contextValue }) {
          const question = { operation, queryHash, operationName, variables, operationState: contextValue.operation };
          const known = answers?.find(question);
          const result = known ?? (await run({ document, operation, variables, context: contextValue }));
          // What cannot even begin is for Apollo and graphql-js to say.
          if (!result) return null;
          if (!known) answers?.storeIfCacheable(question, result);
          const { requestId } = contextValue.operation;
          if (result.errors) logFailures(app.log, result.errors, requestId);
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: formatResult(result, contextValue.operation) },
          };
        },
      };
    },
  };
}

/** Logs failures of ours before anything runs, and around it. */
const logErrorsPlugin = (app: FastifyInstance): ApolloServerPlugin<GraphContext> => ({
  async unexpectedErrorProcessingRequest({ error, requestContext }) {
    app.log.error({ err: rootCause(error), requestId: requestContext.contextValue.operation.requestId }, 'request failed');
  },
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        logFailures(app.log, errors, contextValue.operation.requestId);
      },
    };
  },
});

export interface GraphOptions {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentStore;
  readonly execute: (execution: ExecutionRequest) => Promise<SerializedResult | undefined>;
  readonly operations: OperationRegistry;
  /** Adds the domains' loaders to an operation's context. */
  readonly contextOf: (operation: Operation) => object;
  readonly limits: OperationLimits;
  /** Where answers that stay true are kept, if they are. */
  readonly responseCache: ResponseStore | undefined;
  readonly errorStatus: ErrorStatus;
  /** Answers those who would rather have a stream of events. */
  readonly eventStreamHandler: RouteHandlerMethod;
  readonly origins: OriginPolicy;
}

const CSRF_MESSAGE =
  'A web page of any origin could send this request. Send content-type: application/json or a header apollo-require-preflight.';

/**
 * Refuses what a page of an origin that is not allowed could send without a preflight. EventSource, and clients that send queries over
 * GET, set none of the headers that cause one, so a GET is judged by its origin instead; mutations over GET are refused later.
 */
function rejectCrossSiteRequest(
  { method, headers, id }: FastifyRequest,
  reply: FastifyReply,
  origins: OriginPolicy,
): FastifyReply | undefined {
  if (!isSimpleRequest(headers)) return undefined;
  if (method !== 'GET' || (headers.origin === undefined && !isSameOriginRequest(headers))) {
    return sendError(reply, 400, 'BAD_REQUEST', CSRF_MESSAGE, id);
  }
  if (!origins.accept(headers)) return sendError(reply, 403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE, id);
  // Apollo's csrfPrevention knows no origins: this header tells it that the request has been judged.
  headers[PREFLIGHT_HEADERS[0]] = '1';
  return undefined;
}

/** Serves the graph at `/graphql` over GET and POST. */
export async function registerGraph(
  app: FastifyInstance,
  {
    schema,
    documents,
    execute,
    operations,
    contextOf,
    limits,
    responseCache,
    errorStatus,
    eventStreamHandler,
    origins,
  }: GraphOptions,
): Promise<ApolloServer<GraphContext>> {
  const apollo = new ApolloServer<GraphContext>({
    schema,
    stringifyResult: serializeResponse,
    formatError: limits.INTROSPECTION === 'on' ? formatError : formatErrorWithoutSuggestion,
    // By `validationRules` when it is off, as on all transports.
    introspection: true,
    csrfPrevention: true,
    // A list of operations for a body would multiply every limit.
    allowBatchedHttpRequests: false,
    // Automatic persisted queries would keep what anybody sends.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: limits.MAX_TOKENS },
    validationRules: validationRules(limits),
    documentStore: createDocumentStore(documents),
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    executionOptions: { maxCoercionErrors: MAX_VALIDATION_ERRORS },
    stopOnTerminationSignals: false,
    plugins: [
      finalizeErrorsPlugin(errorStatus),
      checkOperationPlugin(documents),
      logErrorsPlugin(app),
      executorPlugin(app, execute, responseCache),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      fastifyApolloDrainPlugin(app),
      ApolloServerPluginDrainHttpServer({ httpServer: app.server }),
    ],
  });
  await apollo.start();
  const answer = withRequestId(
    fastifyApolloHandler(apollo, {
      context: async (request, reply) => {
        const operation = rethrowWithHttpStatus(() => operations.beginRequest(request, reply));
        return { operation, ...contextOf(operation) };
      },
    }),
  );
  app.route({
    url: '/graphql',
    method: ['GET', 'POST'],
    handler(request, reply) {
      const answered = rejectCrossSiteRequest(request, reply, origins);
      return answered ?? (prefersEventStream(request.headers) ? eventStreamHandler : answer).call(this, request, reply);
    },
  });
  return apollo;
}

const formatErrorWithoutSuggestion: typeof formatError = (formatted, error) =>
  formatError({ ...formatted, message: withoutSuggestion(formatted.message) }, error);

/** Names the request in errors that come before there is an operation, such as that of a body without a query. */
function withRequestId(handle: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    const body = await handle.call(this, request, reply);
    if (reply.statusCode < 400 || typeof body !== 'string' || body.includes('"requestId"')) return body;
    const { errors, ...rest } = JSON.parse(body) as { errors?: { extensions?: object }[] };
    const named = errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: request.id } }));
    return JSON.stringify({ ...rest, errors: named });
  };
}
