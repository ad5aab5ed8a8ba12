/** Timeouts and intervals of WebSockets and event streams, in milliseconds. */
export interface ConnectionTiming {
  /** Timeout for `connection_init`. */
  readonly initTimeoutMs: number;
  /** Interval of heartbeats. A WebSocket that does not respond to one before the next is terminated. */
  readonly heartbeatMs: number;
  /** Time after which a client that does not read is disconnected. */
  readonly stallTimeoutMs: number;
  /** Timeout for the client's part of a close. */
  readonly closeTimeoutMs: number;
  /** Time that a source stream without subscribers stays open. */
  readonly lingerMs: number;
  /** On shutdown each client is disconnected after a random part of this, so that they do not all reconnect at once. */
  readonly drainJitterMs: number;
}

export const CONNECTION_TIMING: ConnectionTiming = {
  initTimeoutMs: 3_000,
  heartbeatMs: 12_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 1_000,
  lingerMs: 5_000,
  drainJitterMs: 2_000,
};
