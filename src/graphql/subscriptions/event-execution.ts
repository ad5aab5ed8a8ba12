import { setImmediate } from 'node:timers/promises';
import type { SourceEvent, SourceEventBatch } from '../stream.ts';
import type { EncodedEvent } from './operation-sink.ts';

/** Executes the operation of a group over one event. Does not reject. */
export type EventExecutor = (event: SourceEvent) => Promise<EncodedEvent>;

/** Maximum number of events that execute concurrently. Their upstream calls of one tick share a request. */
const MAX_CONCURRENT_EVENTS = 16;

/** Executes a batch in chunks, in order, and yields to the event loop between chunks. */
export async function* executeBatch(
  batch: SourceEventBatch,
  executeEvent: EventExecutor,
): AsyncGenerator<readonly EncodedEvent[]> {
  for (let from = 0; from < batch.length; from += MAX_CONCURRENT_EVENTS) {
    if (from > 0) await setImmediate();
    yield await Promise.all(batch.slice(from, from + MAX_CONCURRENT_EVENTS).map(executeEvent));
  }
}
