import type { IncomingHttpHeaders } from 'node:http';
import type { GraphRequest } from '../../operation/request.ts';
import { headersOf } from '../callers/caller-reader.ts';

/** The operations over a WebSocket that count together: of the client that opened it, or of a client whose operations a router sends over it. */
export interface OperationSender {
  /** Key of the client whose connections share a limit; undefined if it is unknown. */
  readonly client: string | undefined;
  /** Number of running operations. */
  operationCount: number;
}

/** The headers that identify a client. */
const IDENTITY_HEADERS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-forwarded-for', 'forwarded']);

/**
 * Returns the headers of the client for which a router sends an operation, with names in lower case; undefined if the operation is of the client
 * that opened the socket. Source: `extensions.headers`, as Hive Gateway sends the headers that it propagates.
 */
export function forwardedHeadersOf({ extensions }: GraphRequest): IncomingHttpHeaders | undefined {
  const { headers } = (extensions ?? {}) as { readonly headers?: unknown };
  if (typeof headers !== 'object' || headers === null) return undefined;
  const identity = Object.entries(headersOf(headers)).filter(([name, value]) => value !== null && IDENTITY_HEADERS.has(name));
  return identity.length > 0 ? (Object.fromEntries(identity) as IncomingHttpHeaders) : undefined;
}
