import type { Writable } from 'node:stream';
import type { EncodedEvent, QueuedEvents } from '../../graphql/subscriptions/event-execution.ts';

/**
 * Bytes that may wait in a stream's own buffer. Beyond this number of bytes, events wait in queues, where subscribers
 * share them.
 */
const MAX_BUFFERED_BYTES = 64 * 1024;

/**
 * An event up to this size is copied into one buffer with its frame, because one write is cheaper than three writes.
 */
export const MAX_COPIED_BYTES = 4_096;

/** Sizes of the buffers of a WebSocket or an event stream. */
export interface ClientBuffers {
  /** Bytes in the queues of its subscriptions. */
  readonly queuedBytes: number;
  /** Bytes in the buffer of its stream that other clients share. */
  readonly sharedBytes: number;
}

/** The stream of a WebSocket or an event stream: its backpressure, and writes of bytes that clients share. */
export class ClientStream<Stream extends Writable = Writable> {
  readonly stream: Stream;
  readonly #sharedEvents: QueuedEvents;
  /** Shared events in the buffer of the stream, in order. */
  readonly #buffered: EncodedEvent[] = [];
  #sharedBytes = 0;

  /** `sharedEvents` counts each event once while it waits for any client. */
  constructor(stream: Stream, sharedEvents: QueuedEvents) {
    this.stream = stream;
    this.#sharedEvents = sharedEvents;
    stream.on('close', () => {
      while (this.#buffered.length > 0) this.#release();
    });
  }

  /** Bytes of shared events in the buffer of the stream. */
  get sharedBytes(): number {
    return this.#sharedBytes;
  }

  /** Whether further events must wait until the stream emits `drain`. */
  isFull(): boolean {
    return this.stream.writableLength >= MAX_BUFFERED_BYTES;
  }

  /** Writes an event that clients share, between bytes of this client. */
  writeShared(before: Buffer, event: EncodedEvent, after: Buffer): void {
    this.#buffered.push(event);
    this.#sharedBytes += event.body.length;
    this.#sharedEvents.add(event);
    this.stream.cork();
    this.stream.write(before);
    const { chunks } = event.body;
    chunks.forEach((chunk, i) => {
      if (i < chunks.length - 1) this.stream.write(chunk);
      else this.stream.write(chunk, () => this.#release());
    });
    this.stream.write(after);
    this.stream.uncork();
  }

  #release(): void {
    const event = this.#buffered.shift();
    if (!event) return;
    this.#sharedBytes -= event.body.length;
    this.#sharedEvents.remove(event);
  }
}
