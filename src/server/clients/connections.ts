import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientBuffers, Connection, type UnsentBytes } from './connection.ts';

/** Interval at which a draining server closes idle connections. */
const IDLE_CHECK_INTERVAL_MS = 50;

/** A connection that has been idle for a shorter time is probably in use. */
const MIN_IDLE_MS = 1_000;

/** Counter for a client that has disconnected. */
const CLOSED: UnsentBytes = { add() {}, remove() {} };

/** The open connections of a server: HTTP connections, WebSockets and event streams. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** Connections that wait for their first request, the longest idle one first. */
  readonly #unused = new Set<Connection>();
  /** Connections that wait for a further request, the longest idle one first. */
  readonly #idle = new Set<Connection>();
  readonly #busy = new Set<Connection>();
  readonly #states = [this.#unused, this.#idle, this.#busy];
  readonly #maxConnections: number;
  /** Closes idle connections while the server drains. */
  #drainTimer: NodeJS.Timeout | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= this.#maxConnections;
  }

  /** WebSockets, and connections with a response that is not complete. */
  get busy(): ReadonlySet<Connection> {
    return this.#busy;
  }

  /** Returns the connection of a socket; undefined after it has closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Returns the counter of the bytes that wait for the client of this socket. */
  unsentBytesOf(socket: Socket): UnsentBytes {
    return this.#open.get(socket) ?? CLOSED;
  }

  /** Sets what a WebSocket or an event stream holds for its client. */
  setBuffers(socket: Socket, buffers: ClientBuffers | undefined): void {
    const connection = this.#open.get(socket);
    if (connection) connection.buffers = buffers;
  }

  /** Adds a connection without a request. Also for a socket whose request is parsed again without its upgrade headers. */
  add(socket: Socket): void {
    const known = this.#open.get(socket);
    const connection = known ?? new Connection(socket);
    connection.isUpgraded = false;
    this.#open.set(socket, connection);
    this.#sort(connection);
    if (!known) socket.once('close', () => this.#remove(connection));
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
    // A reset also frees what the kernel has buffered for the client.
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else socket.destroy();
  }

  /**
   * Closes an idle connection, if there is one: the one that has been idle for the longest time. If that is less than a second, prefers a
   * connection that has never sent a request: its client loses less than one that is about to use its connection again.
   */
  closeIdle(): void {
    const [[unused], [idle]] = [this.#unused, this.#idle];
    const longestIdle = idle && unused ? (idle.idleSince < unused.idleSince ? idle : unused) : (idle ?? unused);
    if (!longestIdle) return;
    const isInUse = !longestIdle.hasBeenIdleSince(performance.now() - MIN_IDLE_MS);
    this.close(isInUse ? (unused ?? longestIdle) : longestIdle);
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
    // After the poll phase of the event loop, so that requests which have arrived are read before.
    this.#drainTimer = setInterval(() => setImmediate(closeIdle), IDLE_CHECK_INTERVAL_MS);
  }

  /** Resolves when no connection is open. Call it when the server accepts no more. */
  async waitUntilClosed(): Promise<void> {
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    clearInterval(this.#drainTimer);
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #remove(connection: Connection): void {
    this.#open.delete(connection.socket);
    for (const state of this.#states) state.delete(connection);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** Moves a connection to those in its state. */
  #sort(connection: Connection): void {
    if (!this.#open.has(connection.socket)) return;
    for (const state of this.#states) state.delete(connection);
    const idleState = connection.hasSentRequest ? this.#idle : this.#unused;
    (connection.isIdle ? idleState : this.#busy).add(connection);
  }
}
