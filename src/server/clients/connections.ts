import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SharedCounts } from '../../lib/shared-counts.ts';
import type { ClientBuffers } from './client-stream.ts';

/** Interval at which a draining server closes idle connections. */
const IDLE_CHECK_INTERVAL_MS = 50;

const COUNT_NAME = 'connections';
/** A connection that has been idle for a shorter time is probably in use. */
const MIN_IDLE_MS = 1_000;

/** Counters of Node's socket handle, which show the part of a large write that the kernel has taken. */
type WriteCounters = Readonly<Record<'bytesWritten' | 'writeQueueSize', number>>;

/** One TCP connection: an HTTP connection, a WebSocket or an event stream. */
export class Connection {
  readonly socket: Socket;
  /** Whether a request has arrived on it. */
  hasSentRequest = false;
  /** Whether the connection is a WebSocket. */
  isUpgraded = false;
  /** Set for a WebSocket and for an event stream. */
  buffers: ClientBuffers | undefined;
  /** Bytes that wait for the client outside of its socket, such as the rest of a response body. */
  queuedBytes = 0;
  /** Number of consecutive checks that found waiting bytes of which the kernel took none since the previous check. */
  stalledChecks = 0;
  /** The set of idle connections that it is in; undefined while it is busy. */
  idleSet: Set<Connection> | undefined;
  /** Start of the idle period, by `performance.now()`. */
  idleSince = performance.now();
  /** Responses that are not complete, in the order of their requests. */
  readonly #responses: ServerResponse[] = [];
  #takenBytes = 0;
  #receivedBytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Whether the connection waits for a request. */
  get isIdle(): boolean {
    return this.#responses.length === 0 && !this.isUpgraded;
  }

  /** Bytes that wait for this client only. */
  get ownBytes(): number {
    let bytes = this.socket.writableLength + this.queuedBytes - (this.buffers?.sharedBytes ?? 0);
    // Node buffers a pipelined response outside of the socket until the earlier responses are complete.
    if (this.#responses.length > 1)
      for (const response of this.#responses) if (!response.socket) bytes += response.writableLength;
    return bytes;
  }

  /** All bytes that wait for this client, including shared ones. */
  get unsentBytes(): number {
    const { queuedBytes = 0, sharedBytes = 0 } = this.buffers ?? {};
    return this.ownBytes + queuedBytes + sharedBytes;
  }

  beginResponse(response: ServerResponse): void {
    this.hasSentRequest = true;
    this.#responses.push(response);
  }

  endResponse(response: ServerResponse): void {
    const at = this.#responses.indexOf(response);
    if (at >= 0) this.#responses.splice(at, 1);
    this.restartIdlePeriod();
  }

  restartIdlePeriod(): void {
    this.idleSince = performance.now();
    this.#receivedBytes = this.socket.bytesRead;
  }

  /** Whether the connection has been idle since `time`. Bytes of a request since the last call restart the period. */
  hasBeenIdleSince(time: number): boolean {
    if (this.socket.bytesRead !== this.#receivedBytes) this.restartIdlePeriod();
    return this.isIdle && this.idleSince <= time;
  }

  /** Updates `stalledChecks`. Returns `ownBytes`, which an idle WebSocket does not compute: it is checked four times a second. */
  checkProgress(): number {
    if (this.socket.writableLength === 0) {
      this.stalledChecks = 0;
      return this.isUpgraded ? 0 : this.ownBytes;
    }
    const handle = (this.socket as unknown as { readonly _handle: WriteCounters | null })._handle;
    const takenBytes = handle ? handle.bytesWritten - handle.writeQueueSize : 0;
    this.stalledChecks = takenBytes === this.#takenBytes ? this.stalledChecks + 1 : 0;
    this.#takenBytes = takenBytes;
    return this.ownBytes;
  }

  /**
   * Makes the last response say `connection: close`. Node closes the connection after this response, so an earlier
   * pipelined response must not have the header.
   */
  announceClose(): void {
    const responses = this.#responses.filter(({ headersSent }) => !headersSent);
    const last = responses.pop();
    for (const response of responses) response.removeHeader('connection');
    last?.setHeader('connection', 'close');
  }
}

/** The open connections of a server: HTTP connections, WebSockets and event streams. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** Connections that wait for their first request, the longest idle one first. */
  readonly #unused = new Set<Connection>();
  /** Connections that wait for a further request, the longest idle one first. */
  readonly #idle = new Set<Connection>();
  readonly #maxConnections: number;
  /** The connections of the other processes of the server. */
  readonly #counts: SharedCounts | undefined;
  /** Closes idle connections while the server drains. */
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(maxConnections: number, counts?: SharedCounts) {
    this.#maxConnections = maxConnections;
    this.#counts = counts;
  }

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size + (this.#counts?.others(COUNT_NAME) ?? 0) >= this.#maxConnections;
  }

  get all(): Iterable<Connection> {
    return this.#open.values();
  }

  /** Returns the connection of a socket; undefined after it has closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Sets the buffers of a WebSocket or an event stream. */
  setBuffers(socket: Socket, buffers: ClientBuffers | undefined): void {
    const connection = this.#open.get(socket);
    if (connection) connection.buffers = buffers;
  }

  /**
   * Adds a connection without a request. Called again for a socket whose request is parsed again without its upgrade
   * headers.
   */
  add(socket: Socket): void {
    const known = this.#open.get(socket);
    const connection = known ?? new Connection(socket);
    connection.isUpgraded = false;
    this.#open.set(socket, connection);
    this.#sort(connection);
    if (known) return;
    this.#counts?.set(COUNT_NAME, this.#open.size);
    socket.on('close', () => this.#remove(connection));
  }

  /** Tracks the requests of a server, before its other listeners get them. */
  trackRequests(server: Server): void {
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#open.get(socket);
      if (!connection) return;
      connection.beginResponse(response);
      this.#sort(connection);
      if (this.#drainTimer) connection.announceClose();
      response.once('close', () => {
        connection.endResponse(response);
        this.#sort(connection);
      });
    });
    server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
      const connection = this.#open.get(socket);
      if (!connection) return;
      connection.isUpgraded = true;
      this.#sort(connection);
    });
  }

  close(connection: Connection): void {
    const { socket } = connection;
    this.#remove(connection);
    // A reset also frees the bytes that the kernel has buffered for the client.
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else socket.destroy();
  }

  /**
   * Closes the connection that has been idle for the longest time, if any connection is idle. If its idle time is less
   * than a second, prefers a connection that has never sent a request, because clients are more likely to use other
   * connections again. Returns whether it has closed one.
   */
  closeIdle(): boolean {
    const [[unused], [idle]] = [this.#unused, this.#idle];
    const longestIdle = idle && unused ? (idle.idleSince < unused.idleSince ? idle : unused) : (idle ?? unused);
    if (!longestIdle) return false;
    const isInUse = !longestIdle.hasBeenIdleSince(performance.now() - MIN_IDLE_MS);
    this.close(isInUse ? (unused ?? longestIdle) : longestIdle);
    return true;
  }

  /** Closes each connection after its current responses, or after it has been idle for `graceMs`. */
  startDraining(graceMs: number): void {
    for (const connection of this.#open.values()) {
      connection.restartIdlePeriod();
      connection.announceClose();
    }
    const closeIdle = (): void => {
      const since = performance.now() - graceMs;
      for (const connection of [...this.#unused, ...this.#idle]) if (connection.hasBeenIdleSince(since)) this.close(connection);
    };
    // Run after the poll phase of the event loop, so that arrived requests are read first.
    this.#drainTimer = setInterval(() => setImmediate(closeIdle), IDLE_CHECK_INTERVAL_MS);
  }

  /** Resolves when no connection is open. Call it when the server accepts no more connections. */
  async waitUntilClosed(): Promise<void> {
    while (this.#open.size > 0) {
      const [socket] = this.#open.keys();
      await new Promise((resolve) => socket!.once('close', resolve));
    }
    clearInterval(this.#drainTimer);
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #remove(connection: Connection): void {
    if (this.#open.delete(connection.socket)) this.#counts?.set(COUNT_NAME, this.#open.size);
    connection.idleSet?.delete(connection);
  }

  /** Moves a connection to the set of its state, or out of them when it is busy. */
  #sort(connection: Connection): void {
    if (!this.#open.has(connection.socket)) return;
    connection.idleSet?.delete(connection);
    connection.idleSet = connection.isIdle ? (connection.hasSentRequest ? this.#idle : this.#unused) : undefined;
    connection.idleSet?.add(connection);
  }
}
