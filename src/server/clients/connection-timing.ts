/** Timeouts and intervals of connections, in milliseconds. */
export interface ConnectionTiming {
  /** Timeout for `connection_init`. */
  readonly initTimeoutMs: number;
  /** Interval of heartbeats. A WebSocket that does not respond to one before the next is terminated. */
  readonly heartbeatMs: number;
  /** Time after which a client that takes none of the bytes that wait for it is disconnected. */
  readonly stallTimeoutMs: number;
  /** Timeout for the client's part of a close. */
  readonly closeTimeoutMs: number;
  /** Time that a source stream without subscribers stays open. */
  readonly lingerMs: number;
  /** On shutdown, an idle connection stays open for this time after `/readyz` has become 503, so that a request on its way is served. */
  readonly drainGraceMs: number;
  /** On shutdown each WebSocket and event stream is ended after a random part of this, so that they do not all reconnect at once. */
  readonly drainJitterMs: number;
}

export const CONNECTION_TIMING: ConnectionTiming = {
  initTimeoutMs: 3_000,
  heartbeatMs: 12_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 1_000,
  lingerMs: 5_000,
  drainGraceMs: 2_000,
  drainJitterMs: 2_000,
};
