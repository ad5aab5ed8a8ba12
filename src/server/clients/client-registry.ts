/** Timeouts and intervals of connections, in milliseconds. */
export const CONNECTION_TIMING = {
  /** Timeout for `connection_init`. */
  initTimeoutMs: 3_000,
  /**
   * Maximum interval of heartbeats; the interval of a client is random, at least three quarters of this maximum. A
   * WebSocket that does not respond to a heartbeat before the next heartbeat is terminated.
   */
  heartbeatMs: 12_000,
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

/** The WebSockets and event streams of a server. */
export class ClientRegistry {
  /** The clients, with the timers of their heartbeats. */
  readonly #clients = new Map<ConnectedClient, NodeJS.Timeout>();
  readonly #timing: Pick<ConnectionTiming, 'heartbeatMs' | 'drainJitterMs'>;
  #onEmpty: (() => void) | undefined;

  constructor(timing: Pick<ConnectionTiming, 'heartbeatMs' | 'drainJitterMs'>) {
    this.#timing = timing;
  }

  count(kind: ConnectedClient['kind']): number {
    let count = 0;
    for (const client of this.#clients.keys()) if (client.kind === kind) count++;
    return count;
  }

  add(client: ConnectedClient): void {
    // The random part spreads the heartbeats of clients that have connected at once over several turns of the event loop.
    this.#clients.set(client, setInterval(() => client.heartbeat(), this.#timing.heartbeatMs * (1 - Math.random() / 4)).unref());
  }

  remove(client: ConnectedClient): void {
    clearInterval(this.#clients.get(client));
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#onEmpty?.();
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
