import type { EncodedEvent } from './operation-sink.ts';

/** Limit of the queued bytes of all subscribers together. The limit per subscriber is not enough, because replayed events are not shared. */
export const MAX_TOTAL_QUEUED_BYTES = 128 * 1024 * 1024;

/** Counts the bytes of all queued events. An event that is in several queues counts once. */
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
