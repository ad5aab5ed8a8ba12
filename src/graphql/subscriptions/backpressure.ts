import type { EncodedEvent } from './operation-sink.ts';

/** All subscribers of a server together: each of them is bounded, but there are many, and not all share what they wait for. */
export const MAX_TOTAL_QUEUED_BYTES = 128 * 1024 * 1024;

/** The answers that wait for anybody to read them. One that waits for many is there once. */
export class QueuedEvents {
  readonly #users = new Map<EncodedEvent, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(event: EncodedEvent): void {
    const users = this.#users.get(event) ?? 0;
    if (users === 0) this.#bytes += event.body.length;
    this.#users.set(event, users + 1);
  }

  remove(event: EncodedEvent): void {
    const users = this.#users.get(event)! - 1;
    if (users > 0) this.#users.set(event, users);
    else {
      this.#users.delete(event);
      this.#bytes -= event.body.length;
    }
  }
}
