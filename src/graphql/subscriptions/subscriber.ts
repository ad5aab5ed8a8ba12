import { GraphError } from '../../lib/errors.ts';
import type { LiveBatches, SourceBacklog, SourceEventBatch, SourceStream } from '../stream.ts';
import { type BatchExecution, type EncodedEvent, type EventWriter, executeBatch, type OperationSink } from './event-execution.ts';
import type { GroupResources } from './group-resources.ts';
import type { Revocations } from './revocations.ts';

/** Limits of one subscriber's queue. Subscribers share event buffers, so the byte limit bounds the lag, not memory. */
const MAX_SUBSCRIBER_EVENTS = 1_000;
const MAX_SUBSCRIBER_BYTES = 1024 * 1024;

/** The part of a group that its subscribers use. */
export interface SubscriberGroup {
  /** The function that executes an event, the cost of an event, and the turns in which events execute; of a live query, only the newest waiting one does. */
  readonly event: Pick<BatchExecution, 'executeEvent' | 'eventCost' | 'turns'> & { readonly isLive?: boolean };
  readonly resources: GroupResources;
  readonly revocations: Pick<Revocations, 'waitForNext'>;
  rejoin(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
}

/** One subscriber of a group: receives the events that it missed, then the events of the group, in order. */
export class Subscriber {
  /** Number of batches received before the subscriber joined; infinite while its backlog is far in the past. Only later batches are delivered to it. */
  joinedAtBatch: number;
  readonly #group: SubscriberGroup;
  readonly #sink: OperationSink;
  readonly #writer: EventWriter;
  readonly #onLeave: () => void;
  readonly #queue: EncodedEvent[] = [];
  /** Executed events of the backlog that wait for capacity. */
  readonly #replayQueue: EncodedEvent[] = [];
  #queuedBytes = 0;
  #cursor: string | undefined;
  #digest: string | undefined;
  /** Since when the block of the next event of the backlog is missing. */
  #missingSince: number | undefined;
  /** Aborts the replay of the backlog; undefined once it is complete. */
  #replay: AbortController | undefined;
  /** Resumes the replay when the sink has capacity. */
  #onDrain: (() => void) | undefined;
  /** Set if the stream ended during the replay, or while events were queued. The sink ends after these events. */
  #ending: { readonly error: unknown } | undefined;
  #hasLeft = false;

  /** `onLeave` is called once, when the subscriber leaves the group. */
  constructor(group: SubscriberGroup, sink: OperationSink, joinedAtBatch: number, onLeave: () => void) {
    this.#group = group;
    this.#sink = sink;
    this.#writer = sink.writer;
    this.#onLeave = onLeave;
    this.joinedAtBatch = joinedAtBatch;
  }

  /** Starts the replay of the backlog. Call it in the same tick as joining, since the backlog ends at the stream's current position. */
  replay(backlog: SourceBacklog, backlogAfter: SourceStream['backlogAfter']): void {
    this.#replay = new AbortController();
    void this.#replayBacklogs(backlog, backlogAfter, this.#replay.signal);
  }

  /** Bytes of the events that wait for the client. */
  get queuedBytes(): number {
    return this.#replayQueue.reduce((bytes, { body }) => bytes + body.length, this.#queuedBytes);
  }

  /** Writes or queues events of the group. */
  deliver(events: readonly EncodedEvent[]): void {
    for (const event of events) {
      if (this.#hasLeft) return;
      if (this.#replay || this.#queue.length > 0 || this.#writer.isFull()) this.#enqueue(event);
      else this.#write(event);
    }
  }

  /** Continues to write when the sink has capacity again. */
  flush(): void {
    const resumeReplay = this.#onDrain;
    this.#onDrain = undefined;
    resumeReplay?.();
    if (resumeReplay || this.#replay) return;
    let count = 0;
    while (count < this.#queue.length && !this.#writer.isFull()) {
      const event = this.#queue[count++]!;
      this.#queuedBytes -= event.body.length;
      this.#group.resources.queuedEvents.remove(event);
      this.#write(event);
    }
    this.#queue.splice(0, count);
    if (this.#ending && this.#queue.length === 0) this.end(this.#ending.error);
  }

  /** Ends the subscriber after its queued events, because the stream of the group has ended; at once far in the past. */
  finish(error: unknown): void {
    if (this.#isPaused) this.end(error);
    else if (this.#replay || this.#queue.length > 0) this.#ending = { error };
    else this.end(error);
  }

  /** Ends with SLOW_CONSUMER and the cursor of the last event that was written to the sink. */
  endAsSlowConsumer(reason: string, bounds: { readonly limit: number; readonly actual: number }): void {
    const cursor = this.#cursor;
    const [advice, detail] = cursor === undefined ? ['Subscribe again.', {}] : ['Subscribe again after `cursor`.', { cursor }];
    this.#group.resources.counts.slow++;
    this.end(new GraphError('SLOW_CONSUMER', `${reason} ${advice}`, { ...bounds, ...detail }));
  }

  /** Leaves the group without ending the sink. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#clearQueues();
    this.#replay?.abort(new GraphError('TIMEOUT', 'The subscriber has left.'));
    this.#onDrain?.();
    this.#onLeave();
    this.#group.remove(this);
  }

  get #isPaused(): boolean {
    return this.joinedAtBatch === Number.POSITIVE_INFINITY;
  }

  /**
   * Replays the backlog. If the block of an event is missing, resumes after the last written event, or restarts the
   * backlog if none has a cursor: if a reorg has removed the block, the new backlog is without it. Without
   * `backlogAfter`, executes the event again.
   */
  async #replayBacklogs(first: SourceBacklog, backlogAfter: SourceStream['backlogAfter'], signal: AbortSignal): Promise<void> {
    let mustResume = false;
    const afterMissingBlock: BatchExecution['afterMissingBlock'] = async (waiting, delayMs) => {
      this.#missingSince ??= performance.now();
      // Each new backlog begins with the first delay again: waiting as long as before doubles the interval.
      const waitMs = Math.max(delayMs, performance.now() - this.#missingSince);
      if (!(await this.#group.revocations.waitForNext(this.#missingSince, waitMs))) return undefined;
      mustResume = backlogAfter !== undefined || this.#group.event.isLive === true;
      return mustResume ? [] : waiting;
    };
    const live: LiveBatches = {
      pause: () => {
        this.#clearQueues();
        this.joinedAtBatch = Number.POSITIVE_INFINITY;
      },
      resume: () => this.#hasLeft || this.#group.rejoin(this),
    };
    try {
      let backlog = first;
      do {
        mustResume = false;
        for await (const batch of backlog(signal, live)) {
          await this.#replayBatch(batch, afterMissingBlock, signal);
          if (signal.aborted) return;
          if (mustResume) break;
        }
        if (mustResume) {
          this.#clearQueues();
          this.#group.rejoin(this);
          if (this.#cursor !== undefined) backlog = backlogAfter!(this.#cursor);
        }
      } while (mustResume);
      this.#replay = undefined;
      this.flush();
    } catch (error) {
      this.end(error);
    }
  }

  /** Executes and writes events of a backlog no faster than the sink takes them. */
  async #replayBatch(batch: SourceEventBatch, afterMissingBlock: BatchExecution['afterMissingBlock'], signal: AbortSignal) {
    const { event: operation, resources } = this.#group;
    const execution = { ...operation, turns: resources.replayTurns, isNeeded: () => !signal.aborted, afterMissingBlock };
    for await (const events of executeBatch(batch, execution)) {
      for (const [i, event] of events.entries()) {
        if (signal.aborted) return;
        if (this.#replayQueue.length === 0 && this.#writer.isFull()) this.#enqueueReplay(events.slice(i));
        while (!signal.aborted && this.#writer.isFull()) await this.#waitForDrain();
        if (signal.aborted) return;
        if (this.#replayQueue.shift()) this.#group.resources.queuedEvents.remove(event);
        this.#write(event);
      }
    }
  }

  #clearQueues(): void {
    for (const event of [...this.#queue.splice(0), ...this.#replayQueue.splice(0)])
      this.#group.resources.queuedEvents.remove(event);
    this.#queuedBytes = 0;
  }

  #waitForDrain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  #write(event: EncodedEvent): void {
    if (event.digest !== undefined && event.digest === this.#digest) return;
    this.#digest = event.digest;
    this.#cursor = event.cursor ?? this.#cursor;
    this.#missingSince = undefined;
    this.#group.resources.counts.sent++;
    this.#writer.send(event);
  }

  #enqueue(event: EncodedEvent): void {
    const count = this.#queue.push(event);
    this.#queuedBytes += event.body.length;
    this.#group.resources.queuedEvents.add(event);
    if (count > MAX_SUBSCRIBER_EVENTS) this.endAsSlowConsumer(SLOW_SUBSCRIBER, { limit: MAX_SUBSCRIBER_EVENTS, actual: count });
    // A single event may exceed the limit of bytes.
    else if (count > 1 && this.#queuedBytes > MAX_SUBSCRIBER_BYTES)
      this.endAsSlowConsumer(SLOW_SUBSCRIBER, { limit: MAX_SUBSCRIBER_BYTES, actual: this.#queuedBytes });
  }

  #enqueueReplay(events: readonly EncodedEvent[]): void {
    this.#replayQueue.push(...events);
    for (const event of events) this.#group.resources.queuedEvents.add(event);
  }

  /** Leaves the group and ends the sink, with an error or as complete. */
  end(error: unknown): void {
    if (this.#hasLeft) return;
    this.leave();
    this.#sink.end(this.#withCursor(error));
  }

  /** Adds the cursor of the last written event to a retryable error, so that the client can resume after it. */
  #withCursor(error: unknown): unknown {
    if (!(error instanceof GraphError) || !error.extensions.retryable) return error;
    if (this.#cursor === undefined || error.extensions.cursor !== undefined) return error;
    return new GraphError(error.code, error.message, { ...error.extensions, cursor: this.#cursor, cause: error });
  }
}

const SLOW_SUBSCRIBER = 'The client reads events more slowly than they arrive.';
