import type { GraphError } from '../../errors.ts';
import type { SourceEventBatch, SourceStream } from '../stream.ts';
import type { QueuedEvents } from './backpressure.ts';
import { type EventExecutor, executeBatch } from './event-execution.ts';
import type { OperationSink } from './operation-sink.ts';
import { Subscriber, type SubscriberGroup, type SubscriptionCounts } from './subscriber.ts';

/** Maximum number of events that wait for execution in one group. After a reconnect, a node can report many blocks at once. */
const MAX_GROUP_EVENTS = 10_000;

/**
 * The subscribers of equal subscriptions: they share one source stream, and each event executes once. Batches execute one after
 * another, and a batch is delivered to the subscribers that had joined when it arrived.
 */
export class SubscriptionGroup implements SubscriberGroup {
  readonly executeEvent: EventExecutor;
  readonly counts: SubscriptionCounts;
  /** The queued events of all groups. */
  readonly queuedEvents: QueuedEvents;
  readonly #subscribers = new Set<Subscriber>();
  /** Called when the last subscriber has left, and when the stream has ended. */
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  /** Number of batches received. */
  #batchCount = 0;
  #queue: { readonly number: number; readonly batch: SourceEventBatch }[] = [];
  #queuedCount = 0;
  #isExecuting = false;
  #ending: { readonly error: GraphError | undefined } | undefined;

  constructor(executeEvent: EventExecutor, counts: SubscriptionCounts, queuedEvents: QueuedEvents, onChange: () => void) {
    this.executeEvent = executeEvent;
    this.counts = counts;
    this.queuedEvents = queuedEvents;
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Whether the source stream has ended. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  start(stream: SourceStream): void {
    this.#stop = stream.subscribe({ next: (batch) => this.#enqueue(batch), end: (error) => this.stop(error) });
  }

  /** Adds a subscriber. It receives the backlog of its own `stream`, then every batch of the group from now on. */
  join({ backlog }: SourceStream, sink: OperationSink): Subscriber {
    const subscriber = new Subscriber(this, sink, this.#batchCount);
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

  /** Ends the stream. Subscribers end after the batches received so far. */
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

  /** Ends all subscribers, because the operation executes more slowly than events arrive. */
  #overflow(): void {
    const bounds = { limit: MAX_GROUP_EVENTS, actual: this.#queuedCount };
    this.#clear();
    for (const subscriber of this.#subscribers)
      subscriber.endAsSlowConsumer('Events arrive faster than this operation executes.', bounds);
    this.stop();
  }

  #clear(): void {
    this.#queue = [];
    this.#queuedCount = 0;
  }
}
