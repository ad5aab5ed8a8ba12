import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { errorCodes, isErrorCode } from '../errors.ts';
import type { Operation } from '../graphql/domain.ts';
import { formatError, rootOf } from '../graphql/format-error.ts';
import type { Operations } from './context.ts';

/** The least that an operation's context holds. */
export interface GraphContext {
  readonly operation: Operation;
}

/** Names the request in each error, and gives an answer without data the status of its error where that is not about one field. */
const finishErrors: ApolloServerPlugin<GraphContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const { requestId } = contextValue.operation;
        for (const error of singleResult.errors ?? []) Object.assign(error.extensions ?? {}, { requestId });
        const [first] = singleResult.errors ?? [];
        const code = first?.extensions?.code;
        if (singleResult.data || !isErrorCode(code)) return;
        const whole = !first?.path || code === 'TIMEOUT' || code === 'SHUTTING_DOWN';
        if (whole && errorCodes[code].http !== 200) response.http.status ??= errorCodes[code].http;
      },
    };
  },
};

/** Logs failures that are ours, with their reason. */
const logFailures = (app: FastifyInstance): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          if (formatError(error.toJSON(), error).extensions?.code !== 'INTERNAL_SERVER_ERROR') continue;
          app.log.error(
            { err: rootOf(error), path: error.path, requestId: contextValue.operation.requestId },
            'operation failed',
          );
        }
      },
    };
  },
});

export interface GraphOptions {
  readonly schema: GraphQLSchema;
  readonly operations: Operations;
  /** Adds the domains' loaders to an operation's context. */
  readonly contextOf: (operation: Operation) => object;
}

/** Serves the graph at `/graphql` over GET and POST. */
export async function registerGraph(
  app: FastifyInstance,
  { schema, operations, contextOf }: GraphOptions,
): Promise<ApolloServer<GraphContext>> {
  const apollo = new ApolloServer<GraphContext>({
    schema,
    formatError,
    introspection: true,
    csrfPrevention: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    plugins: [
      finishErrors,
      logFailures(app),
      ApolloServerPluginInlineTraceDisabled(),
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
          const operation = operations.open(request, reply);
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
