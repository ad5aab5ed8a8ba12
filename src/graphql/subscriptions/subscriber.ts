import { GraphError } from '../../errors.ts';
import type { SourceStream } from '../stream.ts';
import { MAX_TOTAL_QUEUED_BYTES } from './backpressure.ts';
import { executeBatch, type SubscriptionGroup } from './group.ts';
import type { EncodedEvent, SubscriptionSink } from './operation-sink.ts';

/** What waits for one subscriber to read it, at most. The bytes are those of all: what counts here is how far behind it is. */
const MAX_SUBSCRIBER_EVENTS = 1_000;
const MAX_SUBSCRIBER_BYTES = 1024 * 1024;

/** One of those who share a stream: gets what it missed by itself, then what all get, in order. */
export class Subscriber {
  /** How many batches had come before it: those are not for it. */
  readonly joinedAtBatch: number;
  readonly #group: SubscriptionGroup;
  readonly #sink: SubscriptionSink;
  readonly #queue: EncodedEvent[] = [];
  /** What it missed, as far as it is answered and waits. */
  readonly #replayQueue: EncodedEvent[] = [];
  #queuedBytes = 0;
  #cursor: string | undefined;
  /** While it gets what it missed: ends that. */
  #replay: AbortController | undefined;
  /** Goes on with what was missed, when that waits for room. */
  #onDrain: (() => void) | undefined;
  /** How the stream has ended, when that is still to be told. */
  #ending: { readonly error: unknown } | undefined;
  #hasLeft = false;

  constructor(group: SubscriptionGroup, outlet: SubscriptionSink, since: number) {
    this.#group = group;
    this.#sink = outlet;
    this.joinedAtBatch = since;
  }

  /** Begins with what came before; to be called in the moment in which it joins, since the stream's place is taken now. */
  replay(backlog: NonNullable<SourceStream['backlog']>): void {
    this.#replay = new AbortController();
    void this.#replayBacklog(backlog, this.#replay.signal);
  }

  /** What all get. */
  deliver(events: readonly EncodedEvent[]): void {
    for (const event of events) {
      if (this.#hasLeft) return;
      if (this.#replay || this.#queue.length > 0 || this.#sink.isFull()) this.#enqueue(event);
      else this.#write(event);
    }
  }

  /** There is room again. */
  flush(): void {
    const goOn = this.#onDrain;
    this.#onDrain = undefined;
    goOn?.();
    if (goOn || this.#replay) return;
    let count = 0;
    while (count < this.#queue.length && !this.#sink.isFull()) {
      const event = this.#queue[count++]!;
      this.#queuedBytes -= event.body.length;
      this.#group.queuedEvents.remove(event);
      this.#write(event);
    }
    this.#queue.splice(0, count);
    if (this.#ending && this.#queue.length === 0) this.#end(this.#ending.error);
  }

  /** The stream has ended, for all; told behind what still waits. */
  finish(error: unknown): void {
    if (this.#replay || this.#queue.length > 0) this.#ending = { error };
    else this.#end(error);
  }

  /** It cannot keep up: it may go on behind the last event that it was given. */
  endAsSlowConsumer(reason: string, bounds: { readonly limit: number; readonly actual: number }): void {
    const cursor = this.#cursor;
    const [advice, place] = cursor === undefined ? ['subscribe again', {}] : ['subscribe again behind `cursor`', { cursor }];
    this.#group.counts.slow++;
    this.#end(new GraphError('SLOW_CONSUMER', `${reason}; ${advice}.`, { ...bounds, ...place }));
  }

  /** Wants no more. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const event of [...this.#queue.splice(0), ...this.#replayQueue.splice(0)]) this.#group.queuedEvents.remove(event);
    this.#replay?.abort(new GraphError('TIMEOUT', 'The subscriber is gone.'));
    this.#onDrain?.();
    this.#group.remove(this);
  }

  /** Everything behind a subscriber's place, at the pace at which it reads. */
  async #replayBacklog(backlog: NonNullable<SourceStream['backlog']>, signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of backlog(signal)) {
        for await (const events of executeBatch(batch, this.#group.executeEvent)) {
          for (const [i, event] of events.entries()) {
            if (signal.aborted) return;
            if (this.#replayQueue.length === 0 && this.#sink.isFull()) this.#enqueueReplay(events.slice(i));
            while (!signal.aborted && this.#sink.isFull()) await this.#drained();
            if (signal.aborted) return;
            if (this.#replayQueue.shift()) this.#group.queuedEvents.remove(event);
            this.#write(event);
          }
        }
      }
      this.#replay = undefined;
      this.flush();
    } catch (error) {
      this.#end(error);
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  #write(event: EncodedEvent): void {
    this.#cursor = event.cursor ?? this.#cursor;
    this.#group.counts.sent++;
    this.#sink.send(event);
  }

  #enqueue(event: EncodedEvent): void {
    const count = this.#queue.push(event);
    this.#queuedBytes += event.body.length;
    this.#group.queuedEvents.add(event);
    if (count > MAX_SUBSCRIBER_EVENTS) this.endAsSlowConsumer(SLOW_SUBSCRIBER, { limit: MAX_SUBSCRIBER_EVENTS, actual: count });
    // One may wait, however long it is.
    else if (count > 1 && this.#queuedBytes > MAX_SUBSCRIBER_BYTES)
      this.endAsSlowConsumer(SLOW_SUBSCRIBER, { limit: MAX_SUBSCRIBER_BYTES, actual: this.#queuedBytes });
    else this.#enforceTotalLimit();
  }

  /** What it missed is not shared, so that much of it may wait where many go on at once. */
  #enqueueReplay(events: readonly EncodedEvent[]): void {
    this.#replayQueue.push(...events);
    for (const event of events) this.#group.queuedEvents.add(event);
    this.#enforceTotalLimit();
  }

  #enforceTotalLimit(): void {
    const { bytes } = this.#group.queuedEvents;
    if (bytes > MAX_TOTAL_QUEUED_BYTES)
      this.endAsSlowConsumer(TOTAL_QUEUE_FULL, { limit: MAX_TOTAL_QUEUED_BYTES, actual: bytes });
  }

  #end(error: unknown): void {
    if (this.#hasLeft) return;
    this.leave();
    this.#sink.end(this.#withCursor(error));
  }

  /** An error after which the client may subscribe again carries the place behind which it does. */
  #withCursor(error: unknown): unknown {
    if (!(error instanceof GraphError) || !error.extensions.retryable) return error;
    if (this.#cursor === undefined || error.extensions.cursor !== undefined) return error;
    return new GraphError(error.code, error.message, { ...error.extensions, cursor: this.#cursor, cause: error });
  }
}

const SLOW_SUBSCRIBER = 'Events are read more slowly than they come';
const TOTAL_QUEUE_FULL = 'Too much waits for those who read more slowly than events come';
