import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts bytes that wait for a client outside of its socket, such as the rest of a response body. */
export interface UnsentBytes {
  add(bytes: number): void;
  /** Call it when the bytes have been written to the socket or discarded; not needed after the connection has closed. */
  remove(bytes: number): void;
}

/** What a WebSocket or an event stream holds for its client. */
export interface ClientBuffers {
  /** Bytes in the queues of its subscriptions. */
  readonly queuedBytes: number;
  /** Bytes in the buffer of its stream that other clients share. */
  readonly sharedBytes: number;
}

/** Counters of Node's handle of a socket. The public `bytesWritten` does not show how much of one large write the kernel has taken. */
interface WriteCounters {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** One TCP connection: an HTTP connection, a WebSocket or an event stream. */
export class Connection implements UnsentBytes {
  /** Whether a request has arrived on it. */
  hasSentRequest = false;
  readonly socket: Socket;
  /** Set for a WebSocket and for an event stream. */
  buffers: ClientBuffers | undefined;
  /** Whether the connection is a WebSocket. */
  isUpgraded = false;
  /** Number of checks in a row which found that bytes wait and that the kernel has taken none since the previous check. */
  stalledChecks = 0;
  /** Responses that are not complete, in the order of their requests. */
  readonly #responses = new Set<ServerResponse>();
  #addedBytes = 0;
  #takenBytes = 0;
  #receivedBytes = 0;
  #idleSince = performance.now();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Whether the connection waits for a request. */
  get isIdle(): boolean {
    return this.#responses.size === 0 && !this.isUpgraded;
  }

  /** Bytes that wait for this client and for no other. */
  get ownBytes(): number {
    let bytes = this.socket.writableLength + this.#addedBytes - (this.buffers?.sharedBytes ?? 0);
    // Node buffers a pipelined response outside of the socket until the earlier responses are complete.
    if (this.#responses.size > 1) for (const response of this.#responses) if (!response.socket) bytes += response.writableLength;
    return bytes;
  }

  /** All bytes that wait for this client, including shared ones. */
  get unsentBytes(): number {
    const { queuedBytes = 0, sharedBytes = 0 } = this.buffers ?? {};
    return this.ownBytes + queuedBytes + sharedBytes;
  }

  add(bytes: number): void {
    this.#addedBytes += bytes;
  }

  remove(bytes: number): void {
    this.#addedBytes -= bytes;
  }

  beginResponse(response: ServerResponse): void {
    this.hasSentRequest = true;
    this.#responses.add(response);
  }

  endResponse(response: ServerResponse): void {
    this.#responses.delete(response);
    this.restartIdlePeriod();
  }

  restartIdlePeriod(): void {
    this.#idleSince = performance.now();
    this.#receivedBytes = this.socket.bytesRead;
  }

  /** Start of the idle period, by `performance.now()`. */
  get idleSince(): number {
    return this.#idleSince;
  }

  /** Whether the connection has been idle since `time`. The first bytes of a request, seen since the last call, restart the period. */
  hasBeenIdleSince(time: number): boolean {
    if (this.socket.bytesRead !== this.#receivedBytes) this.restartIdlePeriod();
    return this.isIdle && this.#idleSince <= time;
  }

  /** Updates `stalledChecks`. */
  checkProgress(): void {
    if (this.socket.writableLength === 0) {
      this.stalledChecks = 0;
      return;
    }
    const { bytesWritten, writeQueueSize } = (this.socket as unknown as { _handle: WriteCounters | null })._handle ?? NO_WRITES;
    const takenBytes = bytesWritten - writeQueueSize;
    this.stalledChecks = takenBytes === this.#takenBytes ? this.stalledChecks + 1 : 0;
    this.#takenBytes = takenBytes;
  }

  /** Makes the last response say `connection: close`. Node closes the connection after it, so an earlier pipelined one must not. */
  announceClose(): void {
    const responses = [...this.#responses].filter(({ headersSent }) => !headersSent);
    const last = responses.pop();
    for (const response of responses) response.removeHeader('connection');
    last?.setHeader('connection', 'close');
  }
}

const NO_WRITES: WriteCounters = { bytesWritten: 0, writeQueueSize: 0 };
