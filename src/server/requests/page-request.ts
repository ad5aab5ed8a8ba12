import type { FastifyReply, FastifyRequest } from 'fastify';
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
