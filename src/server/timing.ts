/** How long what is connected for longer than one answer waits for what, in milliseconds. */
export interface Timing {
  /** For `connection_init`. */
  readonly init: number;
  /** From one sign of life to the next. Whoever has not answered the one before is gone. */
  readonly beat: number;
  /** For a client to read anything of what it was sent, once that has piled up. */
  readonly stalled: number;
  /** For a client to agree to the end of its WebSocket. */
  readonly closing: number;
  /** Until a stream that nobody listens to any more is stopped. */
  readonly linger: number;
  /** On shutdown each client is let go after a random part of this, so that they do not all come back at once. */
  readonly goodbye: number;
}

export const TIMING: Timing = {
  init: 3_000,
  beat: 12_000,
  stalled: 30_000,
  closing: 1_000,
  linger: 5_000,
  goodbye: 2_000,
};
