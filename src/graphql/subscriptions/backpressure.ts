import type { EncodedEvent } from './event-execution.ts';

/** Counts the bytes of the events that wait for clients, in queues and in buffers of streams. An event that waits for several counts once. */
export class QueuedEvents {
  readonly #queueCounts = new Map<EncodedEvent, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(event: EncodedEvent): void {
    const count = this.#queueCounts.get(event) ?? 0;
    if (count === 0) this.#bytes += event.body.length;
    this.#queueCounts.set(event, count + 1);
  }

  remove(event: EncodedEvent): void {
    const count = this.#queueCounts.get(event)! - 1;
    if (count > 0) this.#queueCounts.set(event, count);
    else {
      this.#queueCounts.delete(event);
      this.#bytes -= event.body.length;
    }
  }
}
