import { setImmediate } from 'node:timers/promises';
import type { SourceEvent, SourceEventBatch } from '../stream.ts';
import type { ExecutionTurns } from './execution-turns.ts';
import type { EncodedEvent } from './operation-sink.ts';

/** Executes the operation of a group over one event. Does not reject. */
export type EventExecutor = (event: SourceEvent) => Promise<EncodedEvent>;

/** Maximum number of events of a group that execute concurrently. Their upstream calls of one tick share a request. */
const MAX_CONCURRENT_EVENTS = 16;

/** How the events of a batch are executed. */
export interface BatchExecution {
  readonly executeEvent: EventExecutor;
  /** The cost of one event. */
  readonly eventCost: number;
  readonly turns: ExecutionTurns;
  /** Whether a subscriber waits for the events. Read when it is their turn. */
  readonly isNeeded: () => boolean;
}

/**
 * Executes a batch in chunks, in order, and yields to the event loop between chunks. The events of a chunk cost at most as much as one
 * operation may, except for a single event. Stops when the events are not needed.
 */
export async function* executeBatch(
  batch: SourceEventBatch,
  { executeEvent, eventCost, turns, isNeeded }: BatchExecution,
): AsyncGenerator<readonly EncodedEvent[]> {
  const chunkSize = Math.max(1, Math.min(MAX_CONCURRENT_EVENTS, Math.floor(turns.maxWorkCost / eventCost)));
  for (let from = 0; from < batch.length; from += chunkSize) {
    if (from > 0) await setImmediate();
    const chunk = batch.slice(from, from + chunkSize);
    const events = await turns.run(chunk.length * eventCost, async () =>
      isNeeded() ? Promise.all(chunk.map(executeEvent)) : undefined,
    );
    if (!events) return;
    yield events;
  }
}
