import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequest,
  type GraphQLRequestContext,
  type GraphQLRequestListener,
  HeaderMap,
  type HTTPGraphQLRequest,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyRequest } from 'fastify';
import { type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { formatError, rootCause } from '../graphql/format-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { OperationPipeline } from '../operation/pipeline.ts';
import type { PreparedOperation } from '../operation/request.ts';
import type { ParsedRequest } from './requests/request-options.ts';

/** One request while Apollo Server processes it. */
export interface ApolloRequest {
  readonly parsed: ParsedRequest;
  readonly operation: Operation;
  /** The operation to execute, if its document and variables are valid. */
  prepared?: PreparedOperation | undefined;
  /** The reason why the request is not executed. */
  rejection?: unknown;
  /** Listeners of the other plugins. */
  listeners?: Listener[];
}

/**
 * Context value of Apollo Server and its plugins. Apollo Server copies the context value, so mutable state needs an
 * object inside it.
 */
export interface ApolloContext {
  readonly request: ApolloRequest;
}

type Listener = GraphQLRequestListener<ApolloContext>;

/** Headers of Apollo Server's own response, which the graph does not send. */
const NO_HEADERS = new HeaderMap();

/**
 * Executes operations in the pipeline. The executor is not Apollo Server's `gateway`, which would retain each request until the next major garbage
 * collection (docs/decisions/0008).
 */
const pipelinePlugin = (pipeline: OperationPipeline, log: Logger): ApolloServerPlugin<ApolloContext> => {
  const listener: Listener = {
    async responseForOperation(context) {
      const { request } = context.contextValue;
      const { parsed, operation } = request;
      let singleResult: FormattedExecutionResult;
      try {
        request.prepared = pipeline.preparer.prepare(parsed.request, parsed.options, context.queryHash, context.document);
        await pipeline.waitForMinBlock(request.prepared, operation);
        singleResult = await pipeline.execute(request.prepared, operation);
      } catch (error) {
        request.rejection = error;
        singleResult = { errors: pipeline.reject(error, parsed.options, request.prepared) };
      }
      if (singleResult.errors && request.listeners) await reportErrors(request.listeners, context, singleResult.errors);
      return { http: { headers: NO_HEADERS }, body: { kind: 'single', singleResult } };
    },
    // Apollo Server itself reports the error of a document that it cannot parse.
    // With plugins, it also rejects a GET of another operation than a query, which the preparer rejects, too.
    async willSendResponse({ response: { body }, errors, queryHash, document, contextValue: { request } }) {
      if (!errors || request.prepared || request.rejection || body.kind !== 'single') return;
      try {
        if (document) pipeline.preparer.prepare(request.parsed.request, request.parsed.options, queryHash, document);
        request.rejection = pipeline.preparer.parseError(rootCause(errors[0]));
      } catch (error) {
        request.rejection = error;
      }
      body.singleResult = { errors: pipeline.reject(request.rejection, request.parsed.options) };
    },
  };
  return {
    requestDidStart: async () => listener,
    async unexpectedErrorProcessingRequest({ error, requestContext }) {
      const { requestId } = requestContext.contextValue.request.operation;
      log.error({ err: rootCause(error), requestId }, 'request failed');
    },
  };
};

/** Makes a plugin observe the errors of the pipeline, because Apollo Server reports only errors of its executor. */
const observingErrors = (plugin: ApolloServerPlugin<ApolloContext>): ApolloServerPlugin<ApolloContext> => ({
  ...plugin,
  async requestDidStart(context) {
    const listener = await plugin.requestDidStart?.(context);
    const { request } = context.contextValue;
    if (listener) request.listeners = [...(request.listeners ?? []), listener];
    return listener;
  },
});

/** Reports the formatted errors of a response to plugins. */
async function reportErrors(
  listeners: readonly Listener[],
  context: GraphQLRequestContext<ApolloContext>,
  formatted: readonly GraphQLFormattedError[],
): Promise<void> {
  const errors = formatted.map(({ message, path = null, extensions = null }) => new GraphQLError(message, { path, extensions }));
  const withErrors = Object.assign(context, { errors }) as Parameters<NonNullable<Listener['didEncounterErrors']>>[0];
  for (const listener of listeners) await listener.didEncounterErrors?.(withErrors);
}

export interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly pipeline: OperationPipeline;
  /** Additional plugins of Apollo Server. @default no plugins */
  readonly plugins?: readonly ApolloServerPlugin<ApolloContext>[] | undefined;
  readonly log: Logger;
}

/** Executes operations of HTTP requests. */
export type RunningApollo = Awaited<ReturnType<typeof startApollo>>;

/** Length of the hash at the end of a key of the document store. A hash of the schema precedes it. */
const SHA256_HEX_CHARS = 64;

/**
 * Starts Apollo Server. It passes the requests of HTTP through its plugins; the pipeline validates and executes them. Its document store serves
 * the documents of the pipeline, so that each is parsed once.
 */
export async function startApollo({ schema, pipeline, plugins = [], log }: ApolloOptions) {
  const apollo = new ApolloServer<ApolloContext>({
    schema,
    formatError,
    // `validateDocument` of the pipeline rejects introspection on all transports.
    introspection: true,
    // Automatic persisted queries would cache documents of any client.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    documentStore: {
      get: async (key) => pipeline.preparer.parsedDocument(key.slice(-SHA256_HEX_CHARS)),
      // The pipeline stores valid documents.
      set: async () => {},
      delete: async () => {},
    },
    parseOptions: { maxTokens: pipeline.preparer.maxTokens },
    dangerouslyDisableValidation: true,
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      pipelinePlugin(pipeline, log),
      ...plugins.map(observingErrors),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await apollo.start();
  return {
    async execute(request: ApolloRequest, http: FastifyRequest): Promise<FormattedExecutionResult> {
      const { query, operationName, variables, extensions } = request.parsed.request;
      const { body } = await apollo.executeOperation(
        {
          query,
          operationName: operationName || undefined,
          variables,
          extensions,
          // Only plugins read it.
          http: plugins.length > 0 ? httpRequestOf(http) : undefined,
        } as GraphQLRequest,
        { contextValue: { request } },
      );
      if (body.kind !== 'single') throw new Error('Apollo Server returned an incremental response.');
      return body.singleResult;
    },
    stop: () => apollo.stop(),
  };
}

/** The request as plugins receive it. */
function httpRequestOf({ method, headers, url, body }: FastifyRequest): HTTPGraphQLRequest {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) map.set(name, [value].flat().join(', '));
  return { method, headers: map, search: /\?.*/.exec(url)?.[0] ?? '', body };
}
