import type { Timing } from './timing.ts';

/** Somebody who stays connected for longer than one answer. */
export interface Client {
  readonly kind: 'socket' | 'events';
  /** Gives a sign of life, and ends the connection when the other side gives none. */
  beat(): void;
  /** Ends the connection as soon as what was asked for once is answered. */
  retire(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** A beat is this many ticks, each for a part of the clients: all at once would be felt by everybody. */
const TICKS = 12;

/** All who are connected for long, over WebSocket or by event streams. */
export class Clients {
  readonly #slots = Array.from({ length: TICKS }, () => new Set<Client>());
  readonly #slotOf = new Map<Client, Set<Client>>();
  readonly #most: number;
  readonly #timing: Timing;
  readonly #timer: NodeJS.Timeout;
  #added = 0;
  #onGone: (() => void) | undefined;

  constructor(most: number, timing: Timing) {
    this.#most = most;
    this.#timing = timing;
    let tick = 0;
    this.#timer = setInterval(() => {
      for (const client of this.#slots[tick++ % TICKS]!) client.beat();
    }, timing.beat / TICKS).unref();
  }

  get isFull(): boolean {
    return this.#slotOf.size >= this.#most;
  }

  count(kind: Client['kind']): number {
    let count = 0;
    for (const client of this.#slotOf.keys()) if (client.kind === kind) count++;
    return count;
  }

  add(client: Client): void {
    const slot = this.#slots[this.#added++ % TICKS]!;
    slot.add(client);
    this.#slotOf.set(client, slot);
  }

  remove(client: Client): void {
    this.#slotOf.get(client)?.delete(client);
    this.#slotOf.delete(client);
    if (this.#slotOf.size === 0) this.#onGone?.();
  }

  /** Lets everybody go, each at a moment of its own; resolves when nobody is left. */
  async stop(): Promise<void> {
    if (this.#slotOf.size > 0) {
      const gone = new Promise<void>((resolve) => {
        this.#onGone = resolve;
      });
      for (const client of this.#slotOf.keys()) setTimeout(() => client.retire(), Math.random() * this.#timing.goodbye);
      await gone;
    }
    clearInterval(this.#timer);
  }

  /** Drops whoever is still there. */
  terminate(): void {
    for (const client of this.#slotOf.keys()) client.terminate();
  }
}
