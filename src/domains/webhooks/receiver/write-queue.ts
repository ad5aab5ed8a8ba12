import { GraphError } from '../../../errors.ts';
import type { NewWebhookEvent } from '../model.ts';

/** Stores events in one transaction. Resolves with whether each is new. */
export type InsertEvents = (events: readonly NewWebhookEvent[]) => Promise<readonly boolean[]>;

/** Events of one transaction. */
const MAX_BATCH = 500;
/** Events that wait for the transactions before theirs. */
const MAX_WAITING = 10_000;

interface WaitingEvent {
  readonly event: NewWebhookEvent;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes events as they arrive: those that arrive during a transaction share the next one, so a burst costs few commits. An event is
 * acknowledged after its commit.
 */
export class WriteQueue {
  readonly #insert: InsertEvents;
  #waiting: WaitingEvent[] = [];
  #isWriting = false;

  constructor(insert: InsertEvents) {
    this.#insert = insert;
  }

  /** Resolves, after the commit, with whether the event is new. Rejects with OVERLOADED when too many events wait. */
  write(event: NewWebhookEvent): Promise<boolean> {
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new GraphError('OVERLOADED', 'Too many notifications wait to be stored. Send it again in a moment.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, MAX_BATCH));
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly WaitingEvent[]): Promise<void> {
    try {
      const results = await this.#insert(batch.map(({ event }) => event));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
