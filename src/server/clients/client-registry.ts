import type { ConnectionTiming } from './connection-timing.ts';

/** Somebody who stays connected for longer than one answer. */
export interface ConnectedClient {
  readonly kind: 'socket' | 'events';
  /** Gives a sign of life, and ends the connection when the other side gives none. */
  heartbeat(): void;
  /** Ends the connection as soon as what was asked for once is answered. */
  drain(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** A beat is this many ticks, each for a part of the clients: all at once would be felt by everybody. */
const TICKS_PER_HEARTBEAT = 12;

/** All who are connected for long, over WebSocket or by event streams. */
export class ClientRegistry {
  readonly #slots = Array.from({ length: TICKS_PER_HEARTBEAT }, () => new Set<ConnectedClient>());
  readonly #slotOf = new Map<ConnectedClient, Set<ConnectedClient>>();
  readonly #maxClients: number;
  readonly #timing: ConnectionTiming;
  readonly #timer: NodeJS.Timeout;
  #added = 0;
  #onEmpty: (() => void) | undefined;

  constructor(most: number, timing: ConnectionTiming) {
    this.#maxClients = most;
    this.#timing = timing;
    let tick = 0;
    this.#timer = setInterval(() => {
      for (const client of this.#slots[tick++ % TICKS_PER_HEARTBEAT]!) client.heartbeat();
    }, timing.heartbeatMs / TICKS_PER_HEARTBEAT).unref();
  }

  get isFull(): boolean {
    return this.#slotOf.size >= this.#maxClients;
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

  /** Lets everybody go, each at a moment of its own; resolves when nobody is left. */
  async drain(): Promise<void> {
    if (this.#slotOf.size > 0) {
      const gone = new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      for (const client of this.#slotOf.keys()) setTimeout(() => client.drain(), Math.random() * this.#timing.drainJitterMs);
      await gone;
    }
    clearInterval(this.#timer);
  }

  /** Drops whoever is still there. */
  terminateAll(): void {
    for (const client of this.#slotOf.keys()) client.terminate();
  }
}
