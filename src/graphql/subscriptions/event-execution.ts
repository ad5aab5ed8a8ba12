import { setImmediate } from 'node:timers/promises';
import { encodeUtf8, type JsonChunks } from '../executor/json-output.ts';
import type { SourceEvent, SourceEventBatch } from '../stream.ts';
import type { ExecutionTurns } from './execution-turns.ts';

/** Counts the bytes of the events that wait for clients, in queues and in buffers of streams. An event that waits for several counts once. */
export class QueuedEvents {
  /** Bytes of the waiting events. A property, because every check of stalled clients reads it. */
  bytes = 0;

  add({ body }: EncodedEvent): void {
    if (body.queueCount++ === 0) this.bytes += body.length;
  }

  remove({ body }: EncodedEvent): void {
    if (--body.queueCount === 0) this.bytes -= body.length;
  }
}

/** JSON, encoded in UTF-8, in chunks. Clients share the buffers. */
export class EncodedBody {
  readonly chunks: readonly Buffer[];
  /** Number of bytes. */
  readonly length: number;
  /** Number of queues and stream buffers that contain it; see `QueuedEvents`. */
  queueCount = 0;

  constructor(chunks: JsonChunks) {
    this.chunks = chunks.map((chunk) => (typeof chunk === 'string' ? encodeUtf8(chunk) : chunk));
    this.length = this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }
}

/** A response of an operation. Subscribers of equal subscriptions share it. */
export interface EncodedEvent {
  readonly body: EncodedBody;
  /** Cursor after which a subscriber can resume. */
  readonly cursor: string | undefined;
  /** Cursor of the event that this event revokes. */
  readonly revokes?: string | undefined;
  /** Whether a field could not be read because the node lacks the event's block, which a reorg may have removed. */
  readonly isBlockMissing?: boolean;
  /** Set for the result of a live query: a subscriber receives no result that equals its last one. */
  readonly digest?: string | undefined;
}

/** Writes the responses of one operation to its client. */
export interface EventWriter {
  /** Whether the sender must wait; the owner of the writer calls `flush` of the sender once there is capacity. */
  isFull(): boolean;
  send(event: EncodedEvent): void;
}

/** Receives the events of one subscription. */
export interface OperationSink {
  readonly writer: EventWriter;
  /** The last call: with the thrown value that ends the subscription, or without a value when it is complete. */
  end(failure?: unknown): void;
}

/** Executes the operation of a group over one event. Does not reject. */
export type EventExecutor = (event: SourceEvent) => Promise<EncodedEvent>;

/** Maximum number of events of a group that execute concurrently. Their upstream calls of one tick share a request. */
const MAX_CONCURRENT_EVENTS = 16;
/** Delay before an event whose block is missing executes again: doubles, and ends with the next revocation. */
const MIN_RETRY_DELAY_MS = 100;

/** The functions and the cost for the execution of a batch. */
export interface BatchExecution {
  readonly executeEvent: EventExecutor;
  /** The cost of one event. */
  readonly eventCost: number;
  readonly turns: ExecutionTurns;
  /** Whether a subscriber waits for the events. Read when it is their turn. */
  readonly isNeeded: () => boolean;
  /**
   * Called when the block of the first of the waiting events is missing. Resolves with the events to execute next:
   * without the events that a reorg has removed, at once or after `delayMs`. Resolves with undefined if the event is to
   * be delivered with its errors.
   */
  readonly afterMissingBlock: (waiting: SourceEventBatch, delayMs: number) => Promise<SourceEventBatch | undefined>;
}

/**
 * Executes a batch in chunks, in order, and yields to the event loop between chunks. The events of a chunk cost at most
 * as much as one operation may, except for a single event. Stops when no subscriber needs the events. An event whose
 * block is missing waits, with all later events, because the node may have removed the block before the server learns
 * of it.
 */
export async function* executeBatch(
  batch: SourceEventBatch,
  { executeEvent, eventCost, turns, isNeeded, afterMissingBlock }: BatchExecution,
): AsyncGenerator<readonly EncodedEvent[]> {
  const chunkSize = Math.max(1, Math.min(MAX_CONCURRENT_EVENTS, Math.floor(turns.maxWorkCost / eventCost)));
  let waiting = batch;
  let delayMs = MIN_RETRY_DELAY_MS;
  for (let from = 0; from < waiting.length; ) {
    if (from > 0) await setImmediate();
    const chunk = waiting.slice(from, from + chunkSize);
    const events = await turns.run(chunk.length * eventCost, async () =>
      isNeeded() ? Promise.all(chunk.map(executeEvent)) : undefined,
    );
    if (!events) return;
    const missing = events.findIndex(({ isBlockMissing }) => isBlockMissing);
    if (missing > 0) yield events.slice(0, missing);
    const next = missing < 0 ? undefined : await afterMissingBlock(waiting.slice(from + missing), delayMs);
    if (next) {
      [waiting, from] = [next, 0];
      delayMs *= 2;
    } else {
      yield events.slice(Math.max(0, missing));
      from += chunk.length;
    }
  }
}
