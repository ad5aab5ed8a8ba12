/**
 * The `error` object of a JSON-RPC response. The service description has no codes. The codes are the codes of geth; for
 * keys, capacity and rate limits, they are the codes of hosted providers.
 */
export class NodeRpcError extends Error {
  override readonly name: string = 'RpcError';
  readonly code: number;
  /** Return data of a reverted call; otherwise undefined. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  toJSON(): { readonly code: number; readonly message: string; readonly data?: unknown } {
    const { code, message, data } = this;
    return { code, message, ...(data !== undefined && { data }) };
  }
}

export const NODE_ERROR_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  /** Capacity and rate limits: the HTTP status, as at hosted providers. */
  limitExceeded: 429,
} as const;

/** Anvil did not respond. */
export class NodeUnavailableError extends NodeRpcError {
  constructor() {
    super(NODE_ERROR_CODES.internal, 'Internal error: the node behind this service does not respond');
  }
}

/** Rate limit exceeded; the call can be repeated a second later. */
export class RateLimitError extends NodeRpcError {
  constructor() {
    super(NODE_ERROR_CODES.limitExceeded, 'Your app has exceeded its compute units per second capacity');
  }
}

export const invalidParams = (message: string) => new NodeRpcError(NODE_ERROR_CODES.invalidParams, message);

/** Geth's error for state of an unknown block. */
export const headerNotFound = () => new NodeRpcError(NODE_ERROR_CODES.server, 'header not found');
