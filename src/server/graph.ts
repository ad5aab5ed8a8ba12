import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { type DocumentNode, type FormattedExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { errorCodes, GraphError, isErrorCode } from '../errors.ts';
import { type AnswerStore, answerMemory } from '../graphql/answers.ts';
import type { Operation } from '../graphql/domain.ts';
import { executor, JsonText } from '../graphql/executor/index.ts';
import { formatError, rootOf } from '../graphql/format-error.ts';
import { type DocumentLimits, limitsRule } from '../graphql/limits.ts';
import { type CostLimits, costCheck, type Weights } from '../graphql/limits-cost.ts';
import { checkParameters } from '../graphql/limits-request.ts';
import type { Operations } from './context.ts';

/** The least that an operation's context holds. */
export interface GraphContext {
  readonly operation: Operation;
}

/** What a request may ask for at most; the settings of these names. */
export type Limits = DocumentLimits & CostLimits;

/** `default` as GraphQL over HTTP has it; `eip1767`: an answer with errors is never 200. */
export type ErrorStatus = 'default' | 'eip1767';

/** Errors in an answer without data. More of them help nobody, and cost whoever asked nothing. */
const MAX_ERRORS = 10;

/** Names the request in each error, and gives an answer without data the status of its error where that is not about one field. */
const finishErrors = (errorStatus: ErrorStatus): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const { requestId } = contextValue.operation;
        const [first] = singleResult.errors ?? [];
        if (!first) return;
        const code = first.extensions?.code;
        // What refuses a document says so once; see limitsRule.
        if (singleResult.data === undefined) {
          singleResult.errors = singleResult.errors!.slice(0, code === 'QUERY_TOO_COMPLEX' ? 1 : MAX_ERRORS);
        }
        for (const error of singleResult.errors!) Object.assign(error.extensions ?? {}, { requestId });
        if (!singleResult.data && isErrorCode(code)) {
          const whole = !first.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
          if (whole && errorCodes[code].http !== 200) response.http.status ??= errorCodes[code].http;
        }
        if (errorStatus === 'eip1767') response.http.status = Math.max(response.http.status ?? 200, 400);
      },
    };
  },
});

/** Refuses what costs too much when that depends on variables or on which operation is meant: the last step before anything runs. */
function refuseCostly(limits: Limits, weights: Weights): ApolloServerPlugin<GraphContext> {
  const checkCost = costCheck(limits, weights);
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ request, operation, document, schema }) {
          try {
            checkParameters(request.operationName ?? operation?.name?.value, request.variables, request.extensions);
            if (operation) checkCost(schema, document, operation, request.variables ?? {});
          } catch (error) {
            throw withStatus(error);
          }
        },
      };
    },
  };
}

/** What Apollo answers with the status of the error; without one it takes it for a failure of the server. */
function withStatus(error: unknown): unknown {
  if (!(error instanceof GraphError)) return error;
  return new GraphQLError(error.message, { originalError: error, extensions: { http: { status: errorCodes[error.code].http } } });
}

function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw withStatus(error);
  }
}

/** Source text of the documents that are kept, in characters; one takes some seventy times as much memory as its text. */
const KEPT_SOURCE = 512 * 1024;
const LONGEST_KEPT = 16 * 1024;

/**
 * Documents that were found valid, so that nobody's usual ones are parsed and checked again. Apollo's own store is bounded by the
 * length of their JSON, which it writes to know it: anybody could fill it to some 150 MB.
 */
function documentStore(): NonNullable<ApolloServerOptions<GraphContext>['documentStore']> {
  const kept = new LRUCache<string, DocumentNode>({
    maxSize: KEPT_SOURCE,
    maxEntrySize: LONGEST_KEPT,
    sizeCalculation: ({ loc }) => loc?.source.body.length || 1,
  });
  return {
    get: async (key) => kept.get(key),
    set: async (key, document) => void kept.set(key, document),
    delete: async (key) => kept.delete(key),
  };
}

/**
 * Runs operations by our own executor. Apollo also takes an executor as its `gateway`, but then makes an object for each request
 * that keeps all of it in memory until the next great collection (docs/decisions/0008).
 */
function ownExecutor(
  app: FastifyInstance,
  schema: GraphQLSchema,
  store: AnswerStore | undefined,
): ApolloServerPlugin<GraphContext> {
  const run = executor(schema);
  const answers = store && answerMemory(store);
  return {
    async requestDidStart() {
      return {
        async responseForOperation({ document, operation, queryHash, request: { operationName, variables }, contextValue }) {
          const question = { operation, queryHash, operationName, variables, of: contextValue.operation };
          const known = answers?.find(question);
          const result = known ?? (await run({ document, operation, variables, context: contextValue }));
          // What cannot even begin is for Apollo and graphql-js to say.
          if (!result) return null;
          if (!known) answers?.consider(question, result);
          const { data, errors } = result;
          if (errors) logFailures(app, errors, contextValue);
          const formatted = errors && { errors: errors.map((error) => formatError(error.toJSON(), error)) };
          const http = { headers: new HeaderMap() };
          const told = contextValue.operation.extensions;
          const extensions = Object.keys(told).length > 0 && { extensions: told };
          return {
            http,
            body: {
              kind: 'single',
              singleResult: { ...formatted, data: data as unknown as Record<string, unknown>, ...extensions },
            },
          };
        },
      };
    },
  };
}

/** An answer as it is sent: its data is text already. */
function stringifyResult({ errors, data, extensions, ...rest }: FormattedExecutionResult): string {
  if (!(data instanceof JsonText)) return JSON.stringify({ errors, data, extensions, ...rest });
  const before = errors ? `"errors":${JSON.stringify(errors)},` : '';
  const after = extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
  return `{${before}"data":${data.text}${after}}`;
}

/** Logs failures that are ours, with their reason. */
function logFailures(app: FastifyInstance, errors: readonly GraphQLError[], { operation }: GraphContext): void {
  for (const error of errors) {
    if (formatError(error.toJSON(), error).extensions?.code !== 'INTERNAL_SERVER_ERROR') continue;
    app.log.error({ err: rootOf(error), path: error.path, requestId: operation.requestId }, 'operation failed');
  }
}

/** Logs failures of ours before anything runs, and around it. */
const logRefusals = (app: FastifyInstance): ApolloServerPlugin<GraphContext> => ({
  async unexpectedErrorProcessingRequest({ error, requestContext }) {
    app.log.error({ err: rootOf(error), requestId: requestContext.contextValue.operation.requestId }, 'request failed');
  },
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        logFailures(app, errors, contextValue);
      },
    };
  },
});

export interface GraphOptions {
  readonly schema: GraphQLSchema;
  readonly operations: Operations;
  /** Adds the domains' loaders to an operation's context. */
  readonly contextOf: (operation: Operation) => object;
  readonly limits: Limits;
  /** Where answers that stay true are kept, if they are. */
  readonly answers: AnswerStore | undefined;
  /** What the fields of all domains cost. */
  readonly weights: Weights;
  readonly errorStatus: ErrorStatus;
}

/** Serves the graph at `/graphql` over GET and POST. */
export async function registerGraph(
  app: FastifyInstance,
  { schema, operations, contextOf, limits, weights, answers, errorStatus }: GraphOptions,
): Promise<ApolloServer<GraphContext>> {
  const apollo = new ApolloServer<GraphContext>({
    schema,
    stringifyResult,
    formatError,
    introspection: true,
    csrfPrevention: true,
    // A list of operations for a body would multiply every limit.
    allowBatchedHttpRequests: false,
    // Automatic persisted queries would keep what anybody sends.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: limits.MAX_TOKENS },
    validationRules: [limitsRule(limits)],
    documentStore: documentStore(),
    validationOptions: { maxErrors: MAX_ERRORS, hideSuggestions: true },
    executionOptions: { maxCoercionErrors: MAX_ERRORS },
    stopOnTerminationSignals: false,
    plugins: [
      finishErrors(errorStatus),
      refuseCostly(limits, weights),
      logRefusals(app),
      ownExecutor(app, schema, answers),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      fastifyApolloDrainPlugin(app),
      ApolloServerPluginDrainHttpServer({ httpServer: app.server }),
    ],
  });
  await apollo.start();
  app.route({
    url: '/graphql',
    method: ['GET', 'POST'],
    handler: namingRequests(
      fastifyApolloHandler(apollo, {
        context: async (request, reply) => {
          const operation = opened(() => operations.open(request, reply));
          return { operation, ...contextOf(operation) };
        },
      }),
    ),
  });
  return apollo;
}

/** Names the request in errors that come before there is an operation, such as that of a body without a query. */
function namingRequests(handle: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    const body = await handle.call(this, request, reply);
    if (reply.statusCode < 400 || typeof body !== 'string' || body.includes('"requestId"')) return body;
    const { errors, ...rest } = JSON.parse(body) as { errors?: { extensions?: object }[] };
    const named = errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: request.id } }));
    return JSON.stringify({ ...rest, errors: named });
  };
}
