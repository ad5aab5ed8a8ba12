/** Timeouts and intervals of connections, in milliseconds. */
export const CONNECTION_TIMING = {
  /** Timeout for `connection_init`. */
  initTimeoutMs: 3_000,
  /**
   * Interval of heartbeats; the first one is sent after three quarters of it or later. A WebSocket that does not respond to a
   * heartbeat before the next heartbeat is terminated.
   */
  heartbeatMs: 25_000,
  /** Time after which a client is disconnected if it reads no waiting bytes. */
  stallTimeoutMs: 30_000,
  /** Timeout for the client's part of a close. */
  closeTimeoutMs: 1_000,
  /** Time that a source stream without subscribers stays open. */
  lingerMs: 5_000,
  /** On shutdown, an idle connection stays open for this time after `/readyz` has become 503, so that a request on its way is served. */
  drainGraceMs: 2_000,
  /**
   * On shutdown, each WebSocket and event stream ends after a random part of this time, so that the clients do not
   * reconnect at once.
   */
  drainJitterMs: 2_000,
};

export type ConnectionTiming = Readonly<typeof CONNECTION_TIMING>;

/** A WebSocket or an event stream. */
export interface ConnectedClient {
  readonly kind: 'socket' | 'events';
  /** Sends a heartbeat; terminates a WebSocket that has not responded to the previous heartbeat. */
  heartbeat(): void;
  /** Ends the connection once its queries and mutations have completed. */
  drain(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** Number of groups of clients whose heartbeats are sent in one turn of the event loop each. A timer for each client would take 300 bytes. */
const MAX_GROUPS = 64;
/** Minimum time between two groups. */
const MIN_GROUP_INTERVAL_MS = 2;

/** The WebSockets and event streams of a server. */
export class ClientRegistry {
  /** The clients, with their groups. */
  readonly #clients = new Map<ConnectedClient, Set<ConnectedClient>>();
  readonly #groups: readonly Set<ConnectedClient>[];
  /** The group that sends the next heartbeats. */
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #timing: Pick<ConnectionTiming, 'heartbeatMs' | 'drainJitterMs'>;
  #onEmpty: (() => void) | undefined;

  constructor(timing: Pick<ConnectionTiming, 'heartbeatMs' | 'drainJitterMs'>) {
    this.#timing = timing;
    const length = Math.ceil(Math.min(MAX_GROUPS, timing.heartbeatMs / MIN_GROUP_INTERVAL_MS));
    this.#groups = Array.from({ length }, () => new Set());
  }

  count(kind: ConnectedClient['kind']): number {
    let count = 0;
    for (const client of this.#clients.keys()) if (client.kind === kind) count++;
    return count;
  }

  add(client: ConnectedClient): void {
    const { length } = this.#groups;
    // A random one of the quarter that was served last: clients that connect at once send their heartbeats in several turns.
    const group = this.#groups[(this.#next + length - 1 - Math.floor((Math.random() * length) / 4)) % length]!;
    group.add(client);
    this.#clients.set(client, group);
    this.#timer ??= setInterval(() => this.#sendHeartbeats(), this.#timing.heartbeatMs / length).unref();
  }

  #sendHeartbeats(): void {
    const group = this.#groups[this.#next]!;
    this.#next = (this.#next + 1) % this.#groups.length;
    for (const client of group) client.heartbeat();
  }

  remove(client: ConnectedClient): void {
    this.#clients.get(client)?.delete(client);
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#onEmpty?.();
  }

  /** Drains every client at a random time within `drainJitterMs`; resolves when all have disconnected. */
  async drain(): Promise<void> {
    if (this.#clients.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const client of this.#clients.keys()) setTimeout(() => client.drain(), Math.random() * this.#timing.drainJitterMs);
    await empty;
  }

  /** Terminates the remaining clients. */
  terminateAll(): void {
    for (const client of this.#clients.keys()) client.terminate();
  }
}
