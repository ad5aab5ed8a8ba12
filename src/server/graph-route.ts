import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import { GraphError } from '../lib/errors.ts';
import type { Caller } from '../operation/caller.ts';
import type { CallerReader } from './callers/caller-reader.ts';
import type { RequestLimits } from './callers/rate-limits.ts';
import { type ClientAddressReader, peerAddressOf } from './clients/client-address.ts';
import { type ParsedRequest, parseGraphRequest, prefersEventStream, redirectPageRequest } from './requests/graph-request.ts';
import { type ErrorStatusOptions, errorResponseStatus, rejectionStatus, sendError } from './requests/http-errors.ts';
import { type OriginPolicy, rejectCrossSiteRequest } from './requests/origins.ts';
import { requestOptionsOf } from './requests/request-options.ts';

export interface GraphRouteOptions {
  readonly origins: OriginPolicy;
  readonly errorStatus: ErrorStatusOptions;
  readonly callerOf: CallerReader;
  readonly requestLimits: RequestLimits;
  readonly addressOf: ClientAddressReader;
  /** Responds with a single response, through Apollo Server. */
  readonly responseHandler: RouteHandlerMethod;
  /** Responds with an event stream. */
  readonly eventStreamHandler: (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest) => FastifyReply;
}

/**
 * Serves `/graphql` over GET and POST: parses the request and passes it to the handler that `accept` selects. Redirects browsers that open it as a
 * page to the playground.
 */
export function registerGraphRoute(
  app: FastifyInstance,
  { origins, errorStatus, callerOf, requestLimits, addressOf, responseHandler, eventStreamHandler }: GraphRouteOptions,
): void {
  app.decorateRequest('parsedGraphRequest', undefined);
  app.decorateRequest('longResponseBody', undefined);
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
        const stream = start(request, reply, caller, address);
        if (stream) return stream;
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        const status = errorResponseStatus(errorStatus, rejectionStatus(error.code), false);
        return sendError(reply, status, error.code, error.message, request.id, error.extensions);
      }
      return responseHandler.call(this, request, reply);
    },
  };
  app.route(route);
  // Some clients of geth send the slash. The router's own option would also redirect the folders of the playground.
  app.route({ ...route, url: '/graphql/' });

  /** Counts and parses a request. Starts its event stream, or stores the parsed request for the handler of a single response. */
  function start(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller | undefined,
    address: string | undefined,
  ): FastifyReply | undefined {
    const isEventStream = prefersEventStream(request.headers);
    const rateLimitKey = requestLimits.check(caller, address);
    const parsed = {
      request: parseGraphRequest(request),
      options: requestOptionsOf(request, isEventStream ? 'sse' : 'http', { caller, rateLimitKey }),
    };
    if (isEventStream) return eventStreamHandler(request, reply, parsed);
    request.parsedGraphRequest = parsed;
    return undefined;
  }
}
