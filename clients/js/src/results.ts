/** An error of a GraphQL response. `extensions` of the graph has `code`, `retryable`, and below a subscription `cursor`. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** A response to an operation, or one event of a subscription. `data` is undefined when the operation was not executed or has ended. */
export interface GraphResult<Data = unknown> {
  readonly data?: Data | null | undefined;
  readonly errors?: readonly GraphError[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** A subscription as it is sent. */
export interface SubscriptionRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
}

/**
 * A client of subscriptions: that of `createEventStreamClient`, of `createWebSocketClient`, or any client of graphql-ws with
 * `retryAttempts: 0`. `iterate` throws when the connection is lost, and its `return` ends the subscription.
 */
export interface SubscriptionClient {
  iterate(request: SubscriptionRequest): AsyncIterableIterator<GraphResult>;
}

/** The errors with which the graph has ended or refused a subscription, or that an event has instead of data. */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError';
  readonly errors: readonly GraphError[];
  /** The code of the first error, for example CURSOR_EXPIRED. */
  readonly code: string | undefined;

  constructor(errors: readonly GraphError[]) {
    super(errors.map(({ message }) => message).join('\n') || 'The subscription has failed.');
    this.errors = errors;
    this.code = errors[0]?.extensions?.code as string | undefined;
  }
}

/** A response to a request for an event stream that is none. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** Time to wait before the next request, from `retry-after`; undefined without that header. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, retryAfterMs?: number) {
    super(`The server has responded with HTTP status ${status}.`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
