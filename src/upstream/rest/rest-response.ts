import { type ErrorCode, GraphError } from '../../lib/errors.ts';
import { parseRetryAfter } from '../../lib/retry.ts';
import type { UpstreamResponse } from '../http-request.ts';
import type { UpstreamIdentity } from '../response-body.ts';

export const NOT_MODIFIED = 304;
export const NOT_FOUND = 404;

/** Error code by HTTP status, with the rest of a message that begins with the name of the service. */
const ERRORS_BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  401: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  402: ['UPSTREAM_QUOTA_EXCEEDED', 'reports that the quota of this server is used up.'],
  403: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  408: ['UPSTREAM_TIMEOUT', 'did not respond in time.'],
  422: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  429: ['UPSTREAM_RATE_LIMITED', 'limits the request rate.'],
};

/**
 * Accepts JSON, 404, and 304 to a conditional request; throws a GraphError for any other response. The texts of the service are not
 * part of the error, because they can contain a key.
 */
export function assertUsableResponse(
  { status, retryAfter, body }: UpstreamResponse,
  { name, source }: UpstreamIdentity,
  isConditional: boolean,
): void {
  if (status === NOT_FOUND || (status === NOT_MODIFIED && isConditional)) return;
  const retryAfterMs = parseRetryAfter(retryAfter);
  const detail = { source, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = ERRORS_BY_STATUS[status];
  if (known) throw new GraphError(known[0], `${name} ${known[1]}`, detail);
  if (status >= 400) throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} responded with HTTP status ${status}.`, detail);
  if (status < 300 && body !== undefined) return;
  throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} sent a response that is not JSON.`, { source });
}
