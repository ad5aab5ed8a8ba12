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

/** A WebSocket or an event stream. */
export interface ConnectedClient {
  readonly kind: 'socket' | 'events';
  /** Sends a heartbeat; terminates a WebSocket that has not responded to the previous one. */
  heartbeat(): void;
  /** Ends the connection once its queries and mutations have completed. */
  drain(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** Heartbeats are spread over this many ticks, so that they do not all run in one turn of the event loop. */
const TICKS_PER_HEARTBEAT = 12;

/** The WebSockets and event streams of a server. */
export class ClientRegistry {
  readonly #slots = Array.from({ length: TICKS_PER_HEARTBEAT }, () => new Set<ConnectedClient>());
  readonly #slotOf = new Map<ConnectedClient, Set<ConnectedClient>>();
  readonly #timing: ConnectionTiming;
  readonly #timer: NodeJS.Timeout;
  #added = 0;
  #onEmpty: (() => void) | undefined;

  constructor(timing: ConnectionTiming) {
    this.#timing = timing;
    let tick = 0;
    this.#timer = setInterval(() => {
      for (const client of this.#slots[tick++ % TICKS_PER_HEARTBEAT]!) client.heartbeat();
    }, timing.heartbeatMs / TICKS_PER_HEARTBEAT).unref();
  }

  count(kind: ConnectedClient['kind']): number {
    let count = 0;
    for (const client of this.#slotOf.keys()) if (client.kind === kind) count++;
    return count;
  }

  add(client: ConnectedClient): void {
    const slot = this.#slots[this.#added++ % TICKS_PER_HEARTBEAT]!;
    slot.add(client);
    this.#slotOf.set(client, slot);
  }

  remove(client: ConnectedClient): void {
    this.#slotOf.get(client)?.delete(client);
    this.#slotOf.delete(client);
    if (this.#slotOf.size === 0) this.#onEmpty?.();
  }

  /** Drains every client at a random time within `drainJitterMs`; resolves when all have disconnected. */
  async drain(): Promise<void> {
    if (this.#slotOf.size > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      for (const client of this.#slotOf.keys()) setTimeout(() => client.drain(), Math.random() * this.#timing.drainJitterMs);
      await empty;
    }
    clearInterval(this.#timer);
  }

  /** Terminates the remaining clients. */
  terminateAll(): void {
    for (const client of this.#slotOf.keys()) client.terminate();
  }
}
