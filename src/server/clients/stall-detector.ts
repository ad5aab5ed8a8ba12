import type { Writable } from 'node:stream';

/** Bytes that may wait in a stream's own buffer. Beyond this, events wait in queues, where subscribers share them. */
const MAX_BUFFERED_BYTES = 64 * 1024;

export interface StallDetectorOptions {
  readonly stallTimeoutMs: number;
  /** Called when the client has read too little for `stallTimeoutMs`. */
  readonly disconnect: () => void;
  /** Called when the network has taken everything that was written. */
  readonly resume: () => void;
}

/** Detects a client that stops reading: its stream fills up and does not drain in time. */
export class StallDetector {
  readonly #stream: Writable;
  readonly #options: StallDetectorOptions;
  /** Runs from the first write that had to wait until the stream drains. */
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Writable, options: StallDetectorOptions) {
    this.#stream = stream;
    this.#options = options;
    stream.on('drain', () => {
      this.stop();
      options.resume();
    });
  }

  /** Whether further writes must wait for `resume`; starts the stall timeout if so. */
  isFull(): boolean {
    if (this.#stream.writableLength < MAX_BUFFERED_BYTES) return false;
    this.start();
    return true;
  }

  /** Starts the timeout unless it is running. */
  start(timeoutMs: number = this.#options.stallTimeoutMs): void {
    this.#timer ??= setTimeout(this.#options.disconnect, timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
