import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseUrl } from '../../lib/urls.ts';
import { ORIGIN_NOT_ALLOWED, sendError } from './http-errors.ts';
import { BLOCK_HEADER } from './request-options.ts';

/** Content types that any web page can send without a CORS preflight. */
const SIMPLE_CONTENT_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** Headers that cause a preflight, as in Apollo Server's CSRF prevention, which does not run: it ignores origins. */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

const CSRF_MESSAGE =
  'Web pages of any origin can send this request without a preflight. Send content-type: application/json or a header apollo-require-preflight.';

/**
 * Rejects a request that a page of a forbidden origin can send without a preflight. EventSource, and clients that send
 * queries with GET, set no header that causes a preflight, so a GET is accepted if its origin is allowed; the pipeline
 * rejects mutations over GET.
 */
export function rejectCrossSiteRequest({ method, headers }: FastifyRequest, reply: FastifyReply, allowed: readonly string[]) {
  if (!isSimpleRequest(headers)) return undefined;
  if (method !== 'GET' || (headers.origin === undefined && !isSameOriginRequest(headers))) {
    return sendError(reply, [400, 'BAD_REQUEST', CSRF_MESSAGE]);
  }
  if (!isAllowedOrigin(headers, allowed)) return sendError(reply, ORIGIN_NOT_ALLOWED);
  return undefined;
}

/** Whether a browser sends a request with these headers for any page without a preflight. */
function isSimpleRequest(headers: IncomingHttpHeaders): boolean {
  if (headers['content-type'] === 'application/json') return false;
  const type = headers['content-type']?.split(';', 1).join().trim().toLowerCase();
  return (type === undefined || SIMPLE_CONTENT_TYPES.includes(type)) && !PREFLIGHT_HEADERS.some((name) => headers[name]);
}

/**
 * Whether a page of `origin` may use the server at `host`: pages of that host and pages of an origin in `allowed` may,
 * where `<scheme>://<host>:*` matches every port. A request without an origin is allowed; see `isSameOriginRequest`.
 */
export function isAllowedOrigin({ origin, host }: IncomingHttpHeaders, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  const page = parseUrl(origin);
  if (!page?.host) return false;
  // Omit the protocol's default port, as URLs do.
  const ownHost = host === undefined ? undefined : parseUrl(`${page.protocol}//${host}`)?.host;
  return allowed.includes(`${page.protocol}//${page.hostname}:*`) || page.host === ownHost;
}

/**
 * Whether a request without an Origin header cannot be from a page of another origin. Browsers send Fetch Metadata headers that pages
 * cannot set, and every cross-origin request in mode `cors` has an Origin. Node's `fetch` sends `sec-fetch-mode` alone.
 */
const isSameOriginRequest = ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean =>
  site === undefined ? mode === 'cors' : site === 'same-origin';

/** Options of `@fastify/cors` for the allowed origins. */
export const corsOptions = (allowed: readonly string[]): FastifyCorsOptions => ({
  origin: allowed.includes('*')
    ? '*'
    : (origin, done) => done(null, origin !== undefined && isAllowedOrigin({ origin }, allowed)),
  methods: ['GET', 'POST'],
  exposedHeaders: ['x-request-id', BLOCK_HEADER, 'retry-after'],
  maxAge: 86_400,
  strictPreflight: false,
});
