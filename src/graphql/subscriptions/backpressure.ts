import type { Told } from './subscription-sink.ts';

/** All subscribers of a server together: each of them is bounded, but there are many, and not all share what they wait for. */
export const MAX_WAITING_FOR_ALL = 128 * 1024 * 1024;

/** The answers that wait for anybody to read them. One that waits for many is there once. */
export class Waiting {
  readonly #users = new Map<Told, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(event: Told): void {
    const users = this.#users.get(event) ?? 0;
    if (users === 0) this.#bytes += event.body.length;
    this.#users.set(event, users + 1);
  }

  remove(event: Told): void {
    const users = this.#users.get(event)! - 1;
    if (users > 0) this.#users.set(event, users);
    else {
      this.#users.delete(event);
      this.#bytes -= event.body.length;
    }
  }
}
