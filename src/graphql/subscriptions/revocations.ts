import { Sleeper } from '../../lib/abort.ts';
import type { SourceEvent, SourceEventBatch } from '../stream.ts';

/** Maximum time until the server detects a reorg of the node, even by polling or after a lost connection. */
const MAX_REORG_DELAY_MS = 10_000;

/**
 * The events of a group that its queued batches revoke. The group drops an event that cannot be read because a reorg
 * has removed its block. It also drops the removal of the event for the subscribers that would have received the event.
 */
export class Revocations {
  /** By cursor: number of queued batches that revoke the event. An event can be added and removed several times. */
  readonly #queued = new Map<string, number>();
  /** By cursor: the number of the batch of a dropped event whose removal is queued. */
  readonly #dropped = new Map<string, number>();
  /** Wakes at each revocation. */
  readonly #sleeper = new Sleeper();

  /** Adds the revocations of a batch that enters the queue. */
  add(cursors: readonly string[]): void {
    for (const cursor of cursors) this.#queued.set(cursor, (this.#queued.get(cursor) ?? 0) + 1);
    this.#sleeper.wake();
  }

  /** Removes the revocations of a batch that leaves the queue to be executed. */
  begin(cursors: readonly string[]): void {
    for (const cursor of cursors) {
      const count = this.#queued.get(cursor)! - 1;
      if (count > 0) this.#queued.set(cursor, count);
      else this.#queued.delete(cursor);
    }
  }

  /** Releases the dropped events that an executed batch has revoked. */
  complete(cursors: readonly string[]): void {
    for (const cursor of cursors) this.#dropped.delete(cursor);
  }

  /** Returns the events of a batch that no queued batch revokes, and drops the others. */
  dropRevoked(events: SourceEventBatch, batchNumber: number): SourceEventBatch {
    return events.filter(({ cursor }) => {
      if (cursor === undefined || !this.#queued.has(cursor)) return true;
      this.#dropped.set(cursor, batchNumber);
      return false;
    });
  }

  get hasDropped(): boolean {
    return this.#dropped.size > 0;
  }

  /** False for the removal of an event that was dropped for a subscriber that has joined at this batch. */
  isDeliverable({ revokes }: Pick<SourceEvent, 'revokes'>, joinedAtBatch: number): boolean {
    return revokes === undefined || joinedAtBatch >= (this.#dropped.get(revokes) ?? 0);
  }

  /**
   * Resolves with true at the next revocation, and after `delayMs` at the latest. Resolves with false at once if events that arrived at a time of
   * `performance.now()` cannot be revoked because of a reorg that has already happened.
   */
  async waitForNext(arrivedAt: number, delayMs: number): Promise<boolean> {
    if (performance.now() - arrivedAt > MAX_REORG_DELAY_MS) return false;
    await this.#sleeper.sleep(delayMs);
    return true;
  }

  /** Removes all batches, because the queue is cleared. */
  clear(): void {
    this.#queued.clear();
    this.#dropped.clear();
    this.#sleeper.wake();
  }
}
