import type { FastifyInstance, RouteOptions } from 'fastify';
import { GraphError } from '../lib/errors.ts';
import { peerAddressOf } from './clients/client-address.ts';
import type { ServerContext } from './context.ts';
import { EVENT_STREAM_TYPE, parseGraphRequest, redirectPageRequest, responseTypeOf } from './requests/graph-request.ts';
import { errorResponseStatus, rejectionStatus, sendError } from './requests/http-errors.ts';
import { rejectCrossSiteRequest } from './requests/origins.ts';
import { requestOptionsOf } from './requests/request-options.ts';
import type { SingleResponseHandler } from './single-response.ts';
import type { EventStreamHandler } from './sse/event-streams.ts';

const NOT_ACCEPTABLE_MESSAGE =
  'The graph has no response of a type that `accept` names. Accept application/json, application/graphql-response+json or text/event-stream.';

/**
 * Serves `/graphql` over GET and POST: parses the request and passes it to the handler that `accept` selects: that of single responses or that of event streams. Redirects browsers that open it as a
 * page to the playground.
 */
export function registerGraphRoute(
  app: FastifyInstance,
  { origins, statusOptions, callerOf, requestLimits, addressOf }: ServerContext,
  responseHandler: SingleResponseHandler,
  eventStreamHandler: EventStreamHandler,
): void {
  const route: RouteOptions = {
    url: '/graphql',
    method: ['GET', 'POST'],
    async handler(request, reply) {
      const page = redirectPageRequest(request, reply);
      if (page) return page;
      const rejected = rejectCrossSiteRequest(request, reply, origins);
      if (rejected) return rejected;
      try {
        const { headers, raw } = request;
        const { socket } = raw;
        // Read before the await: a socket has no address after a disconnect.
        const address = requestLimits.isEnabled ? (addressOf(socket, headers) ?? peerAddressOf(socket)) : undefined;
        const caller = await callerOf({ headers, remoteAddress: socket.remoteAddress });
        const rateLimitKey = requestLimits.check(caller, address);
        const contentType = responseTypeOf(headers);
        if (contentType === undefined) return sendError(reply, 406, 'BAD_REQUEST', NOT_ACCEPTABLE_MESSAGE, request.id);
        const isEventStream = contentType === EVENT_STREAM_TYPE;
        const parsed = {
          request: parseGraphRequest(request),
          options: requestOptionsOf(request, isEventStream ? 'sse' : 'http', { caller, rateLimitKey }),
        };
        return isEventStream ? eventStreamHandler(request, reply, parsed) : responseHandler(request, reply, parsed, contentType);
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        const status = errorResponseStatus(statusOptions, rejectionStatus(error.code), false);
        return sendError(reply, status, error.code, error.message, request.id, error.extensions);
      }
    },
  };
  app.route(route);
  // Some clients of geth send the slash. The router's own option would also redirect the folders of the playground.
  app.route({ ...route, url: '/graphql/' });
}
