/** The origin of an error: `graph` (this server or the request), `node`, or the `errorSource` of a domain. */
export type ErrorSource = string;

interface ErrorKind {
  /** HTTP status when the operation was not executed. After execution it is 200, except for TIMEOUT and SHUTTING_DOWN without data. */
  readonly http: number;
  /** Whether an equal request may succeed later. */
  readonly retryable: boolean;
  readonly source: 'graph' | 'node';
}

/** All error codes. `docs/errors.md` describes each; a test compares the two lists. */
export const errorCodes = {
  GRAPHQL_PARSE_FAILED: { http: 400, retryable: false, source: 'graph' },
  GRAPHQL_VALIDATION_FAILED: { http: 400, retryable: false, source: 'graph' },
  OPERATION_RESOLUTION_FAILURE: { http: 400, retryable: false, source: 'graph' },
  BAD_REQUEST: { http: 400, retryable: false, source: 'graph' },
  UNAUTHENTICATED: { http: 401, retryable: false, source: 'graph' },
  BAD_USER_INPUT: { http: 400, retryable: false, source: 'graph' },
  QUERY_TOO_COMPLEX: { http: 400, retryable: false, source: 'graph' },
  DOCUMENT_NOT_TRUSTED: { http: 400, retryable: false, source: 'graph' },
  PERSISTED_QUERY_NOT_SUPPORTED: { http: 200, retryable: true, source: 'graph' },
  PAYLOAD_TOO_LARGE: { http: 413, retryable: false, source: 'graph' },
  RESULT_TOO_LARGE: { http: 200, retryable: false, source: 'graph' },
  TIMEOUT: { http: 504, retryable: true, source: 'graph' },
  STORE_UNAVAILABLE: { http: 200, retryable: true, source: 'graph' },
  SHUTTING_DOWN: { http: 503, retryable: true, source: 'graph' },
  OVERLOADED: { http: 503, retryable: true, source: 'graph' },
  RATE_LIMITED: { http: 429, retryable: true, source: 'graph' },
  SLOW_CONSUMER: { http: 200, retryable: true, source: 'graph' },
  CURSOR_EXPIRED: { http: 200, retryable: false, source: 'graph' },
  GAP_TOO_LARGE: { http: 200, retryable: true, source: 'node' },
  TOO_MANY_SUBSCRIPTIONS: { http: 503, retryable: false, source: 'graph' },
  STREAM_NOT_FOUND: { http: 200, retryable: false, source: 'graph' },
  STREAM_IN_USE: { http: 200, retryable: true, source: 'graph' },
  DOMAIN_NOT_CONFIGURED: { http: 200, retryable: false, source: 'graph' },
  STREAMS_NOT_CONFIGURED: { http: 200, retryable: false, source: 'graph' },
  TOO_MANY_STREAMS: { http: 200, retryable: false, source: 'graph' },
  INTERNAL_SERVER_ERROR: { http: 500, retryable: false, source: 'graph' },
  EXECUTION_REVERTED: { http: 200, retryable: false, source: 'node' },
  METHOD_NOT_SUPPORTED: { http: 200, retryable: false, source: 'node' },
  BLOCK_NOT_YET: { http: 200, retryable: true, source: 'graph' },
  STALE_UPSTREAM: { http: 200, retryable: true, source: 'node' },
  BLOCK_NOT_AVAILABLE: { http: 200, retryable: true, source: 'node' },
  HISTORY_PRUNED: { http: 200, retryable: false, source: 'node' },
  NONCE_TOO_LOW: { http: 200, retryable: false, source: 'node' },
  NONCE_TOO_HIGH: { http: 200, retryable: false, source: 'node' },
  TX_UNDERPRICED: { http: 200, retryable: false, source: 'node' },
  INSUFFICIENT_FUNDS: { http: 200, retryable: false, source: 'node' },
  INTRINSIC_GAS: { http: 200, retryable: false, source: 'node' },
  FEE_TOO_LOW: { http: 200, retryable: false, source: 'node' },
  TRANSACTION_REJECTED: { http: 200, retryable: false, source: 'node' },
  TX_STATUS_UNKNOWN: { http: 200, retryable: false, source: 'node' },
  UPSTREAM_TIMEOUT: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_CIRCUIT_OPEN: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_CHAIN_CHANGED: { http: 200, retryable: false, source: 'node' },
  UPSTREAM_QUOTA_EXCEEDED: { http: 200, retryable: false, source: 'node' },
  UPSTREAM_AUTH: { http: 200, retryable: false, source: 'node' },
  UPSTREAM_RATE_LIMITED: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_UNAVAILABLE: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_BAD_RESPONSE: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_PROTOCOL_ERROR: { http: 200, retryable: false, source: 'node' },
  UPSTREAM_INTERNAL: { http: 200, retryable: true, source: 'node' },
  UPSTREAM_ERROR: { http: 200, retryable: false, source: 'node' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code);

/**
 * Entries of an error's `extensions`; the client receives all entries. `docs/errors.md` describes each entry.
 * `retryable` and `source` override the values of the code.
 */
export type ErrorDetail = Readonly<Record<string, unknown>>;

type ErrorOptions = ErrorDetail & { readonly cause?: unknown; readonly endpoint?: string | undefined };

/**
 * An expected failure. The message contains no secret, the code is one of `errorCodes`; `cause` is logged and never sent to clients.
 */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly code: ErrorCode;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** Scheme, host and port of the endpoint that has failed, for the log and `/readyz`. Clients do not receive it. */
  endpoint: string | undefined;

  constructor(code: ErrorCode, message: string, { cause, endpoint, ...detail }: ErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.endpoint = endpoint;
    const { retryable, source } = errorCodes[code];
    this.extensions = { code, retryable, source, ...detail };
  }
}

/** Returns a GraphError unchanged, and any other error as the cause of one with this code and message. */
export const toGraphError = (error: unknown, code: ErrorCode, message: string): GraphError =>
  error instanceof GraphError ? error : new GraphError(code, message, { cause: error });

/** Returns TIMEOUT of a task that was waiting for the node, with that cause. */
export const withNodeAsCause = ({ code, message, extensions, endpoint }: GraphError): GraphError =>
  new GraphError(code, message.replace(/\.$/, ' while waiting for the node.'), { ...extensions, source: 'node', endpoint });

/** What has happened to a connection, by the code of its error. */
const CONNECTION_FAILURES: readonly (readonly [code: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, 'could not be reached: connection refused'],
  [/^(?:ENOTFOUND|EAI_|ENODATA|ETIMEOUT|ESERVFAIL|EREFUSED)/, 'could not be reached: host name not found (DNS)'],
  [/^E(?:NET|HOST)UNREACH$/, 'could not be reached: no route to the host'],
  [/CERT|TLS|SSL|ALTNAME|UNABLE_TO|^EPROTO$/, 'could not be reached: TLS failure'],
  [/^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/, 'sent an invalid HTTP response'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'closed the connection before the response was complete'],
];
const OTHER_CONNECTION_FAILURE = 'could not be reached, or the connection closed before the response was complete';

/** States why the connection to `name` failed, in words of this server: the text of the error can contain an address. */
export function connectionFailure(name: string, error: unknown): string {
  const code = String(((error instanceof AggregateError ? error.errors[0] : error) as { code?: unknown } | null)?.code);
  return `${name} ${CONNECTION_FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? OTHER_CONNECTION_FAILURE}.`;
}
