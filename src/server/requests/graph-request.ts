import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { GraphError } from '../../lib/errors.ts';
import { type GraphRequest, MISSING_QUERY_MESSAGE, type RequestOptions } from '../../operation/prepare.ts';
import { NO_STORE } from './http-cache.ts';

/** Parameters of an operation that the playground reads from its URL. */
const OPERATION_PARAMETERS = ['query', 'variables', 'operationName'] as const;

/**
 * Redirects a browser that opens `/graphql` as a page to the playground, with the operation of the URL if it has one. Undefined for other requests:
 * without a query, `accept` must name HTML, as that of browsers does; with a query, the request must also be a navigation, because some HTTP clients
 * that expect JSON accept HTML by default.
 */
export function redirectPageRequest(
  { method, headers, query, url }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
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

/** The path of the graph, with and without the slash at its end that some clients of geth send. */
const GRAPH_PATH = /^\/graphql\/?(?:\?|$)/;

/** Whether a URL without its origin is that of the graph. */
export const isGraphPath = (url: string | undefined): boolean => url !== undefined && GRAPH_PATH.test(url);

/** A GraphQL request over HTTP with the options from its headers. */
export interface ParsedRequest {
  readonly request: GraphRequest;
  readonly options: RequestOptions;
}

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8', EVENT_STREAM_TYPE];

/** Values of `accept` that most clients send, which need no negotiation. */
const ACCEPT_JSON: ReadonlySet<string> = new Set(['', '*/*', 'application/json']);

/** Returns the content type that `accept` prefers; undefined if it accepts none that the graph can respond with. */
export const responseTypeOf = ({ accept = '' }: IncomingHttpHeaders): string | undefined =>
  ACCEPT_JSON.has(accept) ? JSON_TYPE : new Negotiator({ headers: { accept } }).mediaType(RESPONSE_TYPES);

/** Reads the GraphQL request from a GET or POST. Throws BAD_REQUEST, or PERSISTED_QUERY_NOT_SUPPORTED for a hash without a query. */
export function parseGraphRequest({ method, query: search, body }: FastifyRequest): GraphRequest {
  const parameters = (method === 'GET' ? search : body) as Record<string, unknown> | null | undefined;
  if (!isObject(parameters)) throw new GraphError('BAD_REQUEST', 'The body is not a JSON object. Send an object with `query`.');
  const { query, operationName } = parameters;
  const [variables, extensions] = [parameters.variables, parameters.extensions].map((value) =>
    method === 'GET' ? parseJsonParameter(value) : value,
  );
  if (!isNullish(extensions) && !isObject(extensions))
    throw new GraphError('BAD_REQUEST', '`extensions` is not a JSON object. Send an object or leave it out.');
  if (typeof query !== 'string' || query === '') {
    // Clients recognize this message and repeat the request with the whole document.
    if (isObject(extensions?.persistedQuery)) throw new GraphError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    throw new GraphError('BAD_REQUEST', MISSING_QUERY_MESSAGE);
  }
  if (!isNullish(operationName) && typeof operationName !== 'string')
    throw new GraphError('BAD_REQUEST', '`operationName` is not a string. Send a string or leave it out.');
  if (!isNullish(variables) && !isObject(variables))
    throw new GraphError('BAD_REQUEST', '`variables` is not a JSON object. Send an object or leave it out.');
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a parameter of the URL that contains JSON. */
function parseJsonParameter(value: unknown): unknown {
  if (value === undefined || value === '') return undefined;
  try {
    return JSON.parse(value as string);
  } catch {
    throw new GraphError(
      'BAD_REQUEST',
      '`variables` or `extensions` is not valid JSON. Send each of them once, as a JSON object.',
    );
  }
}
