import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ORIGIN_NOT_ALLOWED_MESSAGE, sendError } from './http-errors.ts';
import { isSameOriginRequest, type OriginPolicy } from './origins.ts';

/** Content types that any web page can send without a CORS preflight. */
const SIMPLE_CONTENT_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** Headers that cause a preflight; Apollo Server's CSRF prevention accepts the same ones. */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

const CSRF_MESSAGE =
  'Web pages of any origin can send this request without a preflight. Send content-type: application/json or a header apollo-require-preflight.';

/**
 * Rejects a request that a page of a forbidden origin can send without a preflight. EventSource, and clients that send queries with
 * GET, set no header that causes one, so a GET is accepted if its origin is allowed; the pipeline rejects mutations over GET.
 */
export function rejectCrossSiteRequest(
  { method, headers, id }: FastifyRequest,
  reply: FastifyReply,
  origins: OriginPolicy,
): FastifyReply | undefined {
  if (!isSimpleRequest(headers)) return undefined;
  if (method !== 'GET' || (headers.origin === undefined && !isSameOriginRequest(headers))) {
    return sendError(reply, 400, 'BAD_REQUEST', CSRF_MESSAGE, id);
  }
  if (!origins.accept(headers)) return sendError(reply, 403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE, id);
  // Apollo's csrfPrevention ignores origins; this header makes it accept the request.
  headers[PREFLIGHT_HEADERS[0]] = '1';
  return undefined;
}

/** Whether a browser sends such a request for any page without a preflight. */
function isSimpleRequest(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type']?.split(';', 1).join().trim().toLowerCase();
  return (type === undefined || SIMPLE_CONTENT_TYPES.includes(type)) && !PREFLIGHT_HEADERS.some((name) => headers[name]);
}
