import type { GraphError } from '../../lib/errors.ts';
import type { SourceEventBatch, SourceStream } from '../stream.ts';
import { type BatchExecution, type EncodedEvent, executeBatch, type OperationSink } from './event-execution.ts';
import type { GroupResources } from './group-resources.ts';
import { Revocations } from './revocations.ts';
import { Subscriber, type SubscriberGroup } from './subscriber.ts';

/** Maximum number of events that wait for execution in one group. After a reconnect, a node can report many blocks at once. */
const MAX_GROUP_EVENTS = 10_000;

/** A batch that waits for execution, or is executed now. */
interface ReceivedBatch {
  /** Number of batches received up to and including this batch. */
  readonly number: number;
  readonly batch: SourceEventBatch;
  /** Cursors of the events that the change has revoked. */
  readonly revoked: readonly string[];
  /** By `performance.now()`. */
  readonly arrivedAt: number;
}

/**
 * The subscribers of equal subscriptions: they share one source stream, and each event executes once. Batches execute one after
 * another, and a batch is delivered to the subscribers that had joined when it arrived.
 */
export class SubscriptionGroup implements SubscriberGroup {
  readonly event: SubscriberGroup['event'];
  readonly resources: GroupResources;
  readonly revocations = new Revocations();
  readonly #subscribers = new Set<Subscriber>();
  /** Called when the last subscriber has left, or when the stream has ended. */
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  /** Number of batches received. */
  #batchCount = 0;
  #queue: ReceivedBatch[] = [];
  #queuedCount = 0;
  #executing: ReceivedBatch | undefined;
  #executedCount = 0;
  #ending: { readonly error: GraphError | undefined } | undefined;

  constructor(event: SubscriberGroup['event'], resources: GroupResources, onChange: () => void) {
    this.event = event;
    this.resources = resources;
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Whether the source stream has ended. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** The events that wait for execution or are executed now, and when the first of them arrived; undefined without any. */
  get waiting(): { readonly count: number; readonly since: number } | undefined {
    if (this.isEmpty || !this.#executing) return undefined;
    const { batch, arrivedAt } = this.#executing;
    return { count: this.#queuedCount + batch.length - this.#executedCount, since: arrivedAt };
  }

  start(stream: SourceStream): void {
    this.#stop = stream.subscribe({
      next: (batch, revoked = []) => this.#enqueue(batch, revoked),
      end: (error) => this.stop(error),
    });
  }

  /** Adds a subscriber. It receives the backlog of its `stream`, then every later batch of the group. Calls `onLeave` once. */
  join({ backlog, backlogAfter }: SourceStream, sink: OperationSink, onLeave: () => void): Subscriber {
    const subscriber = new Subscriber(this, sink, this.#batchCount, onLeave);
    this.#subscribers.add(subscriber);
    this.resources.counts.subscribers++;
    if (backlog) subscriber.replay(backlog, backlogAfter);
    return subscriber;
  }

  /**
   * Moves a subscriber to the end of the batches received so far, so that a new backlog precedes the next batch that it
   * receives.
   */
  rejoin(subscriber: Subscriber): void {
    // The set is in the order of joining.
    this.#subscribers.delete(subscriber);
    this.#subscribers.add(subscriber);
    subscriber.joinedAtBatch = this.#batchCount;
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.resources.counts.subscribers--;
    if (!this.isEmpty) return;
    this.#clear();
    this.#onChange();
  }

  /** Ends the stream. Subscribers end after the batches received so far. */
  stop(error?: GraphError): void {
    if (this.#ending) return;
    this.#ending = { error };
    this.#stop?.();
    if (!this.#executing) this.#finish();
    this.#onChange();
  }

  #enqueue(batch: SourceEventBatch, revoked: readonly string[]): void {
    if (this.#ending) return;
    this.#batchCount++;
    if (this.isEmpty) return;
    if (this.event.isLive) this.#clear();
    if (this.#queuedCount >= MAX_GROUP_EVENTS) this.#overflow();
    else {
      this.#queue.push({ number: this.#batchCount, batch, revoked, arrivedAt: performance.now() });
      this.#queuedCount += batch.length;
      if (revoked.length > 0) this.revocations.add(revoked);
      if (!this.#executing) void this.#executeQueue();
    }
  }

  async #executeQueue(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { number, revoked } = next;
      this.#executing = next;
      this.#executedCount = 0;
      this.#queuedCount -= next.batch.length;
      this.revocations.begin(revoked);
      for await (const events of executeBatch(this.#neededEvents(next), this.#executionOf(next))) {
        this.#executedCount += events.length;
        const { hasDropped } = this.revocations;
        for (const subscriber of this.#subscribers) {
          if (subscriber.joinedAtBatch >= number) continue;
          subscriber.deliver(hasDropped ? this.#deliverableEvents(events, subscriber) : events);
        }
      }
      this.revocations.complete(revoked);
    }
    this.#executing = undefined;
    if (this.#ending) this.#finish();
  }

  #executionOf({ number, arrivedAt }: ReceivedBatch): BatchExecution {
    const { revocations } = this;
    return {
      ...this.event,
      isNeeded: () => this.#isAwaited(number),
      async afterMissingBlock(waiting, delayMs) {
        const unrevoked = revocations.dropRevoked(waiting, number);
        if (unrevoked.length < waiting.length) return unrevoked;
        return (await revocations.waitForNext(arrivedAt, delayMs)) ? revocations.dropRevoked(waiting, number) : undefined;
      },
    };
  }

  /**
   * The events of a batch; after an event was dropped, without the removals that no subscriber needs, and without the
   * events that are removed before or together with the dropped event.
   */
  #neededEvents({ batch, number }: ReceivedBatch): SourceEventBatch {
    const { revocations } = this;
    if (!revocations.hasDropped) return batch;
    let lastJoined = 0;
    for (const { joinedAtBatch } of this.#subscribers)
      if (joinedAtBatch < number) lastJoined = Math.max(lastJoined, joinedAtBatch);
    return revocations.dropRevoked(batch, number).filter((event) => revocations.isDeliverable(event, lastJoined));
  }

  #deliverableEvents(events: readonly EncodedEvent[], { joinedAtBatch }: Subscriber): readonly EncodedEvent[] {
    return events.filter((event) => this.revocations.isDeliverable(event, joinedAtBatch));
  }

  /** Whether a subscriber had joined before the batch of this number arrived. */
  #isAwaited(batchNumber: number): boolean {
    for (const { joinedAtBatch } of this.#subscribers) if (joinedAtBatch < batchNumber) return true;
    return false;
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
    this.revocations.clear();
  }
}
