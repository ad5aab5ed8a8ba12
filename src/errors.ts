/** Where an error began: the node or the wizard service behind the graph, or the graph itself with the request it was given. */
export type ErrorSource = 'graph' | 'node' | 'wizard';

interface ErrorKind {
  /** HTTP status when nothing could be executed; an error inside an executed answer leaves the status at 200. */
  readonly http: number;
  /** Whether the same request may succeed later, unchanged. */
  readonly retryable: boolean;
  readonly source: ErrorSource;
}

/** The closed list of codes. `docs/errors.md` says what each one means; a test holds the two together. */
export const errorCodes = {
  GRAPHQL_PARSE_FAILED: { http: 400, retryable: false, source: 'graph' },
  GRAPHQL_VALIDATION_FAILED: { http: 400, retryable: false, source: 'graph' },
  OPERATION_RESOLUTION_FAILURE: { http: 400, retryable: false, source: 'graph' },
  BAD_REQUEST: { http: 400, retryable: false, source: 'graph' },
  BAD_USER_INPUT: { http: 400, retryable: false, source: 'graph' },
  QUERY_TOO_COMPLEX: { http: 400, retryable: false, source: 'graph' },
  PERSISTED_QUERY_NOT_SUPPORTED: { http: 200, retryable: true, source: 'graph' },
  PAYLOAD_TOO_LARGE: { http: 413, retryable: false, source: 'graph' },
  RESULT_TOO_LARGE: { http: 200, retryable: false, source: 'graph' },
  TIMEOUT: { http: 504, retryable: true, source: 'graph' },
  SHUTTING_DOWN: { http: 503, retryable: true, source: 'graph' },
  SLOW_CONSUMER: { http: 200, retryable: true, source: 'graph' },
  CURSOR_EXPIRED: { http: 200, retryable: false, source: 'graph' },
  GAP_TOO_LARGE: { http: 200, retryable: true, source: 'node' },
  TOO_MANY_SUBSCRIPTIONS: { http: 503, retryable: false, source: 'graph' },
  INTERNAL_SERVER_ERROR: { http: 500, retryable: false, source: 'graph' },
  EXECUTION_REVERTED: { http: 200, retryable: false, source: 'node' },
  METHOD_NOT_SUPPORTED: { http: 200, retryable: false, source: 'node' },
  STALE_UPSTREAM: { http: 200, retryable: true, source: 'node' },
  BLOCK_NOT_AVAILABLE: { http: 200, retryable: true, source: 'node' },
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

/** What an error may tell beside its message; all of it reaches the client. */
export interface ErrorDetail {
  /** The upstream method that failed. */
  readonly method?: string;
  /** The node's own error code. */
  readonly rpcCode?: number;
  /** How long to wait before asking again. */
  readonly retryAfterMs?: number;
  /** Hash of the transaction that the error is about. */
  readonly hash?: string;
  /** Where a subscription goes on: behind the last event that was sent. */
  readonly cursor?: string;
  /** The configured bound that was passed, and by what. */
  readonly limit?: number;
  readonly actual?: number;
  /** The setting that has the bound. */
  readonly setting?: string;
  /** The field that costs most, as the names of the fields that lead to it, and its share of the cost, from 0 to 1. */
  readonly mostExpensivePath?: string;
  readonly share?: number;
  /** These two override the code's ordinary answer, where the circumstances tell more. */
  readonly retryable?: boolean;
  readonly source?: ErrorSource;
}

/**
 * An expected failure: its message is our own and safe to show, its code is stable.
 * The reason stays in `cause`, for the log alone.
 */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly code: ErrorCode;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, { cause, ...detail }: ErrorDetail & { readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
    const { retryable, source } = errorCodes[code];
    this.extensions = { code, retryable, source, ...detail };
  }
}
