import { isErrorCode } from '../../../src/lib/errors.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzResponse } from './send-request.ts';

/** An error response is short for any request, unless the fields of an operation fail one by one. */
const MAX_ERROR_RESPONSE_BYTES = 16 * 1024;
const MAX_ERROR_BYTES = 1_024;
const MAX_MESSAGE_BYTES = 256 * 1024;

/** Returns the fault of a response; undefined for a valid one. */
export function checkResponse(request: FuzzRequest, { status, type, body }: FuzzResponse): string | undefined {
  const { kind, method, path, headers, body: sent = '' } = request;
  if (type === 'pong') return undefined;
  if (type === 'close') {
    // The close codes of graphql-transport-ws for messages that are not valid.
    if (Buffer.byteLength(sent) > MAX_MESSAGE_BYTES && status === 1009) return undefined;
    return kind === 'mutated message' && status >= 4400 && status < 4500 ? undefined : `closed with ${status}`;
  }
  // A browser that opens an address is redirected, or reads an error as a page.
  const isPageRequest = method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
  if (isPageRequest && (status === 303 || (status === 404 && type.startsWith('text/html')))) return undefined;
  if (/stacktrace|node_modules|\.[jt]s:\d/.test(type.includes('html') ? '' : body)) return 'contains a stack trace';
  const json = type.includes('json') ? parseJson(body) : undefined;
  const maxBytes = Math.max(MAX_ERROR_RESPONSE_BYTES, MAX_ERROR_BYTES * (json?.errors?.length ?? 0));
  if (status >= 400 && Buffer.byteLength(body) > maxBytes) return `an error response of ${Buffer.byteLength(body)} bytes`;
  if (type.includes('json') && json === undefined && method !== 'HEAD') return 'invalid JSON';
  const codes = (json?.errors ?? []).map((error: any) => error?.extensions?.code);
  // The requests before may keep the node busy for seconds.
  const isLate =
    (status === 504 && codes[0] === 'TIMEOUT') ||
    (path.startsWith('/readyz') && (method === 'HEAD' || /TIMEOUT|CIRCUIT_OPEN/.test(json?.code)));
  if (status >= 500 && !isLate) return `status ${status}`;
  const [wrong] = codes.filter((code: unknown) => !isErrorCode(code) || code === 'INTERNAL_SERVER_ERROR').map(String);
  if (wrong !== undefined) return `an error with code ${wrong}`;
  if (/^\/graphql(\?|$)/.test(path) && (method === 'POST' || method === 'GET') && status !== 304) {
    if (json === undefined) return `status ${status} without JSON`;
    if (json.data === undefined && codes.length === 0) return 'neither data nor errors';
  }
  return status >= 400 && codes.length === 0 && !isLate && method !== 'HEAD' ? `status ${status} without a code` : undefined;
}

export function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
