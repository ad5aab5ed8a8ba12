import type { GraphError } from '../../errors.ts';
import type { SourceEventBatch, SourceStream } from '../stream.ts';
import type { QueuedEvents } from './backpressure.ts';
import { type BatchExecution, executeBatch } from './event-execution.ts';
import type { ExecutionTurns } from './execution-turns.ts';
import type { OperationSink } from './operation-sink.ts';
import { Subscriber, type SubscriberGroup, type SubscriptionCounts } from './subscriber.ts';

/** Maximum number of events that wait for execution in one group. After a reconnect, a node can report many blocks at once. */
const MAX_GROUP_EVENTS = 10_000;

/** What all groups of a server share. */
export interface GroupResources {
  readonly counts: SubscriptionCounts;
  /** The queued events of all groups. */
  readonly queuedEvents: QueuedEvents;
  /** Turns of groups. */
  readonly turns: ExecutionTurns;
  /** Turns of subscribers that read missed events. They are separate, so that many clients that resume at once do not delay new events. */
  readonly replayTurns: ExecutionTurns;
}

/** A batch that waits for execution, or is executed now. */
interface ReceivedBatch {
  /** Number of batches received before and with this one. */
  readonly number: number;
  readonly batch: SourceEventBatch;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
}

/**
 * The subscribers of equal subscriptions: they share one source stream, and each event executes once. Batches execute one after
 * another, and a batch is delivered to the subscribers that had joined when it arrived.
 */
export class SubscriptionGroup implements SubscriberGroup {
  readonly counts: SubscriptionCounts;
  readonly queuedEvents: QueuedEvents;
  readonly replayExecution: SubscriberGroup['replayExecution'];
  readonly #execution: SubscriberGroup['replayExecution'];
  readonly #subscribers = new Set<Subscriber>();
  /** Called when the last subscriber has left, and when the stream has ended. */
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  /** Number of batches received. */
  #batchCount = 0;
  #queue: ReceivedBatch[] = [];
  #queuedCount = 0;
  #executing: ReceivedBatch | undefined;
  #executedCount = 0;
  #ending: { readonly error: GraphError | undefined } | undefined;

  constructor(
    event: Pick<BatchExecution, 'executeEvent' | 'eventCost'>,
    { counts, queuedEvents, turns, replayTurns }: GroupResources,
    onChange: () => void,
  ) {
    this.counts = counts;
    this.queuedEvents = queuedEvents;
    this.replayExecution = { ...event, turns: replayTurns };
    this.#execution = { ...event, turns };
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
    this.#stop = stream.subscribe({ next: (batch) => this.#enqueue(batch), end: (error) => this.stop(error) });
  }

  /** Adds a subscriber. It receives the backlog of its own `stream`, then every batch of the group from now on. Calls `onLeave` once. */
  join({ backlog }: SourceStream, sink: OperationSink, onLeave: () => void): Subscriber {
    const subscriber = new Subscriber(this, sink, this.#batchCount, onLeave);
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
    if (!this.#executing) this.#finish();
    this.#onChange();
  }

  #enqueue(batch: SourceEventBatch): void {
    if (this.#ending) return;
    this.#batchCount++;
    if (this.isEmpty) return;
    if (this.#queuedCount >= MAX_GROUP_EVENTS) this.#overflow();
    else {
      this.#queue.push({ number: this.#batchCount, batch, arrivedAt: performance.now() });
      this.#queuedCount += batch.length;
      if (!this.#executing) void this.#executeQueue();
    }
  }

  async #executeQueue(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { number, batch } = next;
      this.#executing = next;
      this.#executedCount = 0;
      this.#queuedCount -= batch.length;
      for await (const events of executeBatch(batch, { ...this.#execution, isNeeded: () => this.#isAwaited(number) })) {
        this.#executedCount += events.length;
        for (const subscriber of this.#subscribers) if (subscriber.joinedAtBatch < number) subscriber.deliver(events);
      }
    }
    this.#executing = undefined;
    if (this.#ending) this.#finish();
  }

  /** Whether a subscriber had joined before the batch of this number arrived. The first one in the set has joined first. */
  #isAwaited(batchNumber: number): boolean {
    const [first] = this.#subscribers;
    return first !== undefined && first.joinedAtBatch < batchNumber;
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
