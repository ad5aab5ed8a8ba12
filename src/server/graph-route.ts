import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { errorCodes, GraphError } from '../errors.ts';
import { rejectCrossSiteRequest } from './requests/cross-site.ts';
import { type ErrorStatusOptions, errorResponseStatus } from './requests/error-status.ts';
import { type ParsedRequest, parseGraphRequest, prefersEventStream } from './requests/graph-request.ts';
import { sendError } from './requests/http-errors.ts';
import type { OriginPolicy } from './requests/origins.ts';
import { requestOptionsOf } from './requests/request-options.ts';

export interface GraphRouteOptions {
  readonly origins: OriginPolicy;
  readonly errorStatus: ErrorStatusOptions;
  /** Responds with a single response, through Apollo Server. */
  readonly responseHandler: RouteHandlerMethod;
  /** Responds with an event stream. */
  readonly eventStreamHandler: (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest) => FastifyReply;
}

/** Serves `/graphql` over GET and POST: parses the request and passes it to the handler that `accept` selects. */
export function registerGraphRoute(
  app: FastifyInstance,
  { origins, errorStatus, responseHandler, eventStreamHandler }: GraphRouteOptions,
): void {
  app.decorateRequest('parsedGraphRequest', undefined);
  app.decorateRequest('longResponseBody', undefined);
  app.route({
    url: '/graphql',
    method: ['GET', 'POST'],
    handler(request, reply) {
      const rejected = rejectCrossSiteRequest(request, reply, origins);
      if (rejected) return rejected;
      try {
        const isEventStream = prefersEventStream(request.headers);
        const parsed = {
          request: parseGraphRequest(request),
          options: requestOptionsOf(request, isEventStream ? 'sse' : 'http'),
        };
        if (isEventStream) return eventStreamHandler(request, reply, parsed);
        request.parsedGraphRequest = parsed;
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        const status = errorResponseStatus(errorStatus, errorCodes[error.code].http, false);
        return sendError(reply, status, error.code, error.message, request.id);
      }
      return responseHandler.call(this, request, reply);
    },
  });
}
