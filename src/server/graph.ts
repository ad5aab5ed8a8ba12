import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { errorCodes } from '../errors.ts';
import type { Operation } from '../graphql/domain.ts';
import { formatError, rootOf, toGraphError } from '../graphql/format-error.ts';
import type { Operations } from './context.ts';

/** The least that an operation's context holds. */
export interface GraphContext {
  readonly operation: Operation;
}

/** Names the request in each error, and gives an answer without data the status of its error. */
const finishErrors: ApolloServerPlugin<GraphContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const { requestId } = contextValue.operation;
        for (const error of singleResult.errors ?? []) Object.assign(error.extensions ?? {}, { requestId });
        const code = singleResult.errors?.[0]?.extensions?.code;
        if (!singleResult.data && (code === 'TIMEOUT' || code === 'SHUTTING_DOWN')) response.http.status = errorCodes[code].http;
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
          if (toGraphError(error).code !== 'INTERNAL_SERVER_ERROR' || rootOf(error) === error) continue;
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
    method: ['GET', 'POST', 'OPTIONS'],
    handler: fastifyApolloHandler(apollo, {
      context: async (request, reply) => {
        const operation = operations.open(request, reply);
        return { operation, ...contextOf(operation) };
      },
    }),
  });
  return apollo;
}
