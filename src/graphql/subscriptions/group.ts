import { setImmediate } from 'node:timers/promises';
import type { GraphError } from '../../errors.ts';
import type { SourceEvent, SourceEventBatch, SourceStream } from '../stream.ts';
import type { QueuedEvents } from './backpressure.ts';
import type { EncodedEvent, SubscriptionSink } from './operation-sink.ts';
import { Subscriber } from './subscriber.ts';

/** Executes the operation of a group over one event. Does not reject. */
export type EventExecutor = (event: SourceEvent) => Promise<EncodedEvent>;

/** What is counted over all groups. */
export interface SubscriptionCounts {
  /** Subscribers at present. */
  subscribers: number;
  /** Events that were handed to a subscriber's transport. */
  sent: number;
  /** Subscribers that could not keep up. */
  slow: number;
}

/** How many events are answered at a time: they may have to ask the node, and their answers wait for each other. */
const MAX_CONCURRENT_EVENTS = 16;
/** Events that wait while earlier ones are answered. A node that was away for a while tells of many blocks at once. */
const MAX_GROUP_EVENTS = 10_000;

/**
 * Those who ask the same: one stream, and one answer for each of its events. Batches are answered one after another, and each goes to
 * those who were there when it came.
 */
export class SubscriptionGroup {
  readonly executeEvent: EventExecutor;
  readonly counts: SubscriptionCounts;
  /** What waits to be read, in all groups. */
  readonly queuedEvents: QueuedEvents;
  readonly #subscribers = new Set<Subscriber>();
  /** Called when the last has left, and when the stream has ended. */
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  /** Batches that have come so far. */
  #batchCount = 0;
  #queue: { readonly number: number; readonly batch: SourceEventBatch }[] = [];
  #queuedCount = 0;
  #isExecuting = false;
  #ending: { readonly error: GraphError | undefined } | undefined;

  constructor(answer: EventExecutor, counts: SubscriptionCounts, waiting: QueuedEvents, onChange: () => void) {
    this.executeEvent = answer;
    this.counts = counts;
    this.queuedEvents = waiting;
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Whether nothing more will come. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  start(stream: SourceStream): void {
    this.#stop = stream.subscribe({ next: (batch) => this.#enqueue(batch), end: (error) => this.stop(error) });
  }

  /** Adds one, who gets what `stream` has in store for it and then every batch that comes from now on. */
  join({ backlog }: SourceStream, outlet: SubscriptionSink): Subscriber {
    const subscriber = new Subscriber(this, outlet, this.#batchCount);
    this.#subscribers.add(subscriber);
    this.counts.subscribers++;
    if (backlog) subscriber.replay(backlog);
    return subscriber;
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.counts.subscribers--;
    if (!this.isEmpty) return;
    this.#clear();
    this.#onChange();
  }

  /** Ends the stream; its subscribers are told so behind what has come before. */
  stop(error?: GraphError): void {
    if (this.#ending) return;
    this.#ending = { error };
    this.#stop?.();
    if (!this.#isExecuting) this.#finish();
    this.#onChange();
  }

  #enqueue(batch: SourceEventBatch): void {
    if (this.#ending) return;
    this.#batchCount++;
    if (this.isEmpty) return;
    if (this.#queuedCount >= MAX_GROUP_EVENTS) this.#overflow();
    else {
      this.#queue.push({ number: this.#batchCount, batch });
      this.#queuedCount += batch.length;
      if (!this.#isExecuting) void this.#executeQueue();
    }
  }

  async #executeQueue(): Promise<void> {
    this.#isExecuting = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { number, batch } = next;
      this.#queuedCount -= batch.length;
      for await (const events of executeBatch(batch, this.executeEvent)) {
        for (const subscriber of this.#subscribers) if (subscriber.joinedAtBatch < number) subscriber.deliver(events);
        if (this.isEmpty) break;
      }
    }
    this.#isExecuting = false;
    if (this.#ending) this.#finish();
  }

  #finish(): void {
    for (const subscriber of this.#subscribers) subscriber.finish(this.#ending?.error);
  }

  /** The operation takes longer than its events leave time for, whoever reads the answers. */
  #overflow(): void {
    const bounds = { limit: MAX_GROUP_EVENTS, actual: this.#queuedCount };
    this.#clear();
    for (const subscriber of this.#subscribers)
      subscriber.endAsSlowConsumer('Events come faster than this operation is answered for them', bounds);
    this.stop();
  }

  #clear(): void {
    this.#queue = [];
    this.#queuedCount = 0;
  }
}

/** The answers to the events of a batch, in order, some at a time; others have their turn in between. */
export async function* executeBatch(batch: SourceEventBatch, answer: EventExecutor): AsyncGenerator<readonly EncodedEvent[]> {
  for (let from = 0; from < batch.length; from += MAX_CONCURRENT_EVENTS) {
    if (from > 0) await setImmediate();
    yield await Promise.all(batch.slice(from, from + MAX_CONCURRENT_EVENTS).map(answer));
  }
}
