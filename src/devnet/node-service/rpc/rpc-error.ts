/**
 * A failure as it goes out: the `error` object of a JSON-RPC answer. The seed shows no codes, so these are geth's, and for what a node
 * does not know (keys, capacity, rate) those of hosted providers.
 */
export class NodeRpcError extends Error {
  override readonly name: string = 'RpcError';
  readonly code: number;
  /** Bytes that a reverted call returned; undefined for everything else. */
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
  /** Capacity and rate limits: the HTTP status as a JSON-RPC code, as providers do. */
  limitExceeded: 429,
} as const;

/** Anvil did not answer at all. */
export class NodeUnavailableError extends NodeRpcError {
  constructor() {
    super(NODE_ERROR_CODES.internal, 'Internal error: the node behind this service does not answer');
  }
}

/** Asked too often; the same may be asked again a second later. */
export class RateLimitError extends NodeRpcError {
  constructor() {
    // In the words of a provider.
    super(NODE_ERROR_CODES.limitExceeded, 'Your app has exceeded its compute units per second capacity');
  }
}

export const invalidParams = (message: string) => new NodeRpcError(NODE_ERROR_CODES.invalidParams, message);

/** What geth says for state of a block that it does not have. */
export const headerNotFound = () => new NodeRpcError(NODE_ERROR_CODES.server, 'header not found');
