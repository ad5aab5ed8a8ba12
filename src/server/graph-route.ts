import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import Negotiator from 'negotiator';
import { isNullish, isObject } from '../ethereum/block-results.ts';
import { GraphError } from '../lib/errors.ts';
import { MISSING_QUERY_MESSAGE } from '../operation/prepare.ts';
import type { GraphRequest } from '../operation/request.ts';
import { peerAddressOf } from './clients/client-address.ts';
import type { ServerContext } from './context.ts';
import { errorResponseStatus, NO_STORE, type Rejection, rejectionStatus, sendError } from './requests/http-errors.ts';
import { rejectCrossSiteRequest } from './requests/origins.ts';
import { EVENT_STREAM_TYPE, graphRequestOf, requestOptionsOf } from './requests/request-options.ts';
import type { SingleResponseHandler } from './single-response.ts';
import type { EventStreamHandler } from './sse/event-streams.ts';

const NOT_ACCEPTABLE: Rejection = [
  406,
  'BAD_REQUEST',
  'The graph has no response of a type that `accept` names. Accept application/json, application/graphql-response+json or text/event-stream.',
];

/**
 * Serves `/graphql` over GET and POST: parses the request and passes it to the handler that `accept` selects, for single responses or for event
 * streams. Redirects browsers that open it as a page to the playground.
 */
export function registerGraphRoute(
  app: FastifyInstance,
  { corsOrigins, isDropIn, callerOf, requestLimits, addressOf, pipeline }: ServerContext,
  responseHandler: SingleResponseHandler,
  eventStreamHandler: EventStreamHandler,
): void {
  const route: RouteOptions = {
    url: '/graphql',
    method: ['GET', 'POST'],
    async handler(request, reply) {
      const page = redirectPageRequest(request, reply);
      if (page) return page;
      const rejected = rejectCrossSiteRequest(request, reply, corsOrigins);
      if (rejected) return rejected;
      try {
        const { headers, raw } = request;
        const { socket } = raw;
        // Read before the await: a socket has no address after a disconnect.
        const address = requestLimits ? (addressOf(socket, headers) ?? peerAddressOf(socket)) : undefined;
        const caller = await callerOf({ headers, remoteAddress: socket.remoteAddress });
        const rateLimitKey = requestLimits && (await requestLimits.check(caller, address));
        const contentType = responseTypeOf(headers);
        if (contentType === undefined) return sendError(reply, NOT_ACCEPTABLE);
        const isEventStream = contentType === EVENT_STREAM_TYPE;
        const parsed = {
          request: pipeline.preparer.trusted.withText(parseGraphRequest(request)),
          options: requestOptionsOf(request, isEventStream ? 'sse' : 'http', { caller, rateLimitKey }),
        };
        return isEventStream ? eventStreamHandler(request, reply, parsed) : responseHandler(request, reply, parsed, contentType);
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        const status = errorResponseStatus(isDropIn, rejectionStatus(error.code), false);
        return sendError(reply, [status, error.code, error.message], error.extensions);
      }
    },
  };
  app.route(route);
  // Some clients of geth send the slash. The option of the router would also redirect the folders of the playground.
  app.route({ ...route, url: '/graphql/' });
}

/** Parameters of an operation that the playground reads from its URL. */
const OPERATION_PARAMETERS = ['query', 'variables', 'operationName'] as const;

/**
 * Redirects a browser that opens `/graphql` as a page to the playground, with the operation of the URL if it has one.
 * Undefined for other requests: without a query, `accept` must name HTML, as browsers send it; with a query, the
 * request must also be a navigation, because some HTTP clients that expect JSON accept HTML by default.
 */
function redirectPageRequest({ method, headers, query, url }: FastifyRequest, reply: FastifyReply) {
  if (method !== 'GET' || !/\btext\/html\b/i.test(headers.accept ?? '')) return undefined;
  const parameters = query as Readonly<Record<string, unknown>>;
  if (parameters.query !== undefined && headers['sec-fetch-mode'] !== 'navigate') return undefined;
  // Relative, so that a proxy may mount the server under a prefix.
  const playground = /^\/graphql\/(?:\?|$)/.test(url) ? '../' : './';
  return reply
    .headers({ 'cache-control': NO_STORE, vary: 'accept, sec-fetch-mode' })
    .redirect(`${playground}${fragmentOf(parameters)}`, 303);
}

/** The operation as a URL fragment, which browsers do not send: variables may be secret. Empty without a query. */
function fragmentOf(parameters: Readonly<Record<string, unknown>>): string {
  if (typeof parameters.query !== 'string') return '';
  const fragment = new URLSearchParams();
  for (const name of OPERATION_PARAMETERS) {
    const value = parameters[name];
    if (typeof value === 'string') fragment.set(name, value);
  }
  return `#${fragment}`;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8', EVENT_STREAM_TYPE];

/** Values of `accept` that most clients send, which need no negotiation. */
const ACCEPT_JSON: ReadonlySet<string> = new Set(['', '*/*', 'application/json']);

/** Returns the content type that `accept` prefers; undefined if it accepts no content type of the graph. */
export const responseTypeOf = ({ accept = '' }: IncomingHttpHeaders): string | undefined =>
  ACCEPT_JSON.has(accept) ? JSON_TYPE : new Negotiator({ headers: { accept } }).mediaType(RESPONSE_TYPES);

/** Reads the GraphQL request from a GET or POST. Throws BAD_REQUEST. */
function parseGraphRequest({ method, query: search, body }: FastifyRequest): GraphRequest {
  const parameters = (method === 'GET' ? search : body) as Record<string, unknown> | null | undefined;
  if (!isObject(parameters)) throw new GraphError('BAD_REQUEST', 'The body is not a JSON object. Send an object with `query`.');
  const { query = '', documentId, operationName } = parameters;
  const [variables, extensions] = [parameters.variables, parameters.extensions].map((value) =>
    method === 'GET' ? parseJsonParameter(value) : value,
  );
  if (!isNullish(extensions) && !isObject(extensions))
    throw new GraphError('BAD_REQUEST', '`extensions` is not a JSON object. Send an object or leave it out.');
  const hasDocument = isObject(extensions?.persistedQuery) || !isNullish(documentId);
  if (typeof query !== 'string' || (query === '' && !hasDocument)) throw new GraphError('BAD_REQUEST', MISSING_QUERY_MESSAGE);
  if (!isNullish(documentId) && typeof documentId !== 'string')
    throw new GraphError('BAD_REQUEST', '`documentId` is not a string. Send a string or leave it out.');
  if (!isNullish(operationName) && typeof operationName !== 'string')
    throw new GraphError('BAD_REQUEST', '`operationName` is not a string. Send a string or leave it out.');
  if (!isNullish(variables) && !isObject(variables))
    throw new GraphError('BAD_REQUEST', '`variables` is not a JSON object. Send an object or leave it out.');
  return graphRequestOf({ query, documentId, operationName, variables, extensions });
}

/** Parses a parameter of the URL that contains JSON. */
function parseJsonParameter(value: unknown): unknown {
  if (value === undefined || value === '') return undefined;
  try {
    return JSON.parse(value as string);
  } catch {
    const message = '`variables` or `extensions` is not valid JSON. Send each of them once, as a JSON object.';
    throw new GraphError('BAD_REQUEST', message);
  }
}
