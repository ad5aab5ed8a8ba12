import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { GraphError } from '../../errors.ts';
import type { GraphRequest } from '../../graphql/pipeline/documents.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** What an answer can be; `accept` may name others, which are nobody's first choice then. */
const SERVED_TYPES: ReadonlySet<string> = new Set([
  EVENT_STREAM_TYPE,
  'application/json',
  'application/graphql-response+json',
  'application/*',
  '*/*',
]);

/** Whether a client would rather have a stream of events than one answer: it comes first in `accept`. */
export function prefersEventStream({ accept = '' }: IncomingHttpHeaders): boolean {
  const [first] = accept
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ type, weight }) => SERVED_TYPES.has(type) && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return first?.type === EVENT_STREAM_TYPE;
}

/** Types that a form on any page can send, without the browser asking first. */
const FORM_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** The headers that Apollo takes for a sign that the browser has asked. */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Whether a browser can have sent this request for a page of any origin without a preflight, as Apollo reckons it. Such a request is only
 * served when its origin is allowed, and only over GET, which changes nothing.
 */
export function isSimpleRequest(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type']?.split(';', 1).join().trim().toLowerCase();
  return (type === undefined || FORM_TYPES.includes(type)) && !PREFLIGHT_HEADERS.some((name) => headers[name]);
}

/** What a GET or POST asks for, as GraphQL over HTTP has it. Throws BAD_REQUEST. */
export function parseGraphRequest({ method, query: search, body }: FastifyRequest): GraphRequest {
  const given = (method === 'GET' ? search : body) as Record<string, unknown> | null | undefined;
  if (!isObject(given)) throw new GraphError('BAD_REQUEST', 'The body is a JSON object with the query.');
  const { query, operationName } = given;
  const [variables, extensions] = [given.variables, given.extensions].map((value) =>
    method === 'GET' ? parseJsonParameter(value) : value,
  );
  if (typeof query !== 'string' || query === '')
    throw new GraphError('BAD_REQUEST', 'The request has no `query`, which is a text.');
  if (!isNullish(operationName) && typeof operationName !== 'string') {
    throw new GraphError('BAD_REQUEST', '`operationName` is a text.');
  }
  if (!isNullish(variables) && !isObject(variables)) throw new GraphError('BAD_REQUEST', '`variables` are a JSON object.');
  if (!isNullish(extensions) && !isObject(extensions)) throw new GraphError('BAD_REQUEST', '`extensions` are a JSON object.');
  return {
    query,
    operationName: (operationName as string | null | undefined) ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that is JSON in an address. */
function parseJsonParameter(value: unknown): unknown {
  if (value === undefined || value === '') return undefined;
  try {
    return JSON.parse(value as string);
  } catch {
    throw new GraphError('BAD_REQUEST', '`variables` and `extensions` are JSON objects, each given once.');
  }
}
