import { isErrorCode } from '../../../src/lib/errors.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzResponse } from './send-request.ts';

/** Refusals are short whatever is refused. */
const MAX_ERROR_RESPONSE_BYTES = 16 * 1024;

/** What is wrong with an answer; undefined when nothing is. */
export function checkResponse({ kind, method, path }: FuzzRequest, { status, type, body }: FuzzResponse): string | undefined {
  if (/stacktrace|node_modules|\.[jt]s:\d/.test(type.includes('html') ? '' : body)) return 'shows where it failed';
  if (status >= 400 && Buffer.byteLength(body) > MAX_ERROR_RESPONSE_BYTES) return `refuses in ${Buffer.byteLength(body)} bytes`;
  const json = type.includes('json') ? parseJson(body) : undefined;
  if (type.includes('json') && json === undefined && method !== 'HEAD') return 'is no JSON';
  const codes = (json?.errors ?? []).map((error: any) => error?.extensions?.code);
  if (status >= 500 && !(status === 504 && codes[0] === 'TIMEOUT')) return `status ${status}`;
  const [wrong] = codes.filter((code: unknown) => !isErrorCode(code) || code === 'INTERNAL_SERVER_ERROR').map(String);
  if (wrong !== undefined) return `an error with code ${wrong}`;
  if (/^\/graphql(\?|$)/.test(path) && (method === 'POST' || method === 'GET') && status !== 304) {
    if (json === undefined) return `status ${status} with no JSON`;
    if (json.data === undefined && codes.length === 0) return 'neither data nor errors';
  }
  // Node itself refuses a request without a host, in no words at all.
  const wordless = method === 'HEAD' || (kind === 'broken HTTP' && body === '');
  return status >= 400 && codes.length === 0 && !wordless ? `status ${status} without a code` : undefined;
}

export function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
