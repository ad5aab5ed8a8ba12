/** How long what is connected for longer than one answer waits for what, in milliseconds. */
export interface ConnectionTiming {
  /** For `connection_init`. */
  readonly initTimeoutMs: number;
  /** From one sign of life to the next. Whoever has not answered the one before is gone. */
  readonly heartbeatMs: number;
  /** For a client to read anything of what it was sent, once that has piled up. */
  readonly stallTimeoutMs: number;
  /** For a client to agree to the end of its WebSocket. */
  readonly closeTimeoutMs: number;
  /** Until a stream that nobody listens to any more is stopped. */
  readonly lingerMs: number;
  /** On shutdown each client is let go after a random part of this, so that they do not all come back at once. */
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
