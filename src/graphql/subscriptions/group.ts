import { setImmediate } from 'node:timers/promises';
import type { GraphError } from '../../errors.ts';
import type { Batch, Stream, StreamEvent } from '../stream.ts';
import type { Waiting } from './backpressure.ts';
import { Subscriber } from './subscriber.ts';
import type { Outlet, Told } from './subscription-sink.ts';

/** Executes the operation of a group over one event. Does not reject. */
export type Answer = (event: StreamEvent) => Promise<Told>;

/** What is counted over all groups. */
export interface Counts {
  /** Subscribers at present. */
  subscribers: number;
  /** Events that were handed to a subscriber's transport. */
  sent: number;
  /** Subscribers that could not keep up. */
  slow: number;
}

/** How many events are answered at a time: they may have to ask the node, and their answers wait for each other. */
const AT_ONCE = 16;
/** Events that wait while earlier ones are answered. A node that was away for a while tells of many blocks at once. */
const MAX_QUEUED = 10_000;

/**
 * Those who ask the same: one stream, and one answer for each of its events. Batches are answered one after another, and each goes to
 * those who were there when it came.
 */
export class Group {
  readonly answer: Answer;
  readonly counts: Counts;
  /** What waits to be read, in all groups. */
  readonly waiting: Waiting;
  readonly #subscribers = new Set<Subscriber>();
  /** Called when the last has left, and when the stream has ended. */
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  /** Batches that have come so far. */
  #arrived = 0;
  #queue: { readonly number: number; readonly batch: Batch }[] = [];
  #queued = 0;
  #isAnswering = false;
  #ending: { readonly error: GraphError | undefined } | undefined;

  constructor(answer: Answer, counts: Counts, waiting: Waiting, onChange: () => void) {
    this.answer = answer;
    this.counts = counts;
    this.waiting = waiting;
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Whether nothing more will come. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  open(stream: Stream): void {
    this.#stop = stream.open({ next: (batch) => this.#take(batch), end: (error) => this.stop(error) });
  }

  /** Adds one, who gets what `stream` has in store for it and then every batch that comes from now on. */
  join({ backlog }: Stream, outlet: Outlet): Subscriber {
    const subscriber = new Subscriber(this, outlet, this.#arrived);
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
    if (!this.#isAnswering) this.#finish();
    this.#onChange();
  }

  #take(batch: Batch): void {
    if (this.#ending) return;
    this.#arrived++;
    if (this.isEmpty) return;
    if (this.#queued >= MAX_QUEUED) this.#overflow();
    else {
      this.#queue.push({ number: this.#arrived, batch });
      this.#queued += batch.length;
      if (!this.#isAnswering) void this.#answerAll();
    }
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { number, batch } = next;
      this.#queued -= batch.length;
      for await (const events of answeredInTurn(batch, this.answer)) {
        for (const subscriber of this.#subscribers) if (subscriber.since < number) subscriber.tell(events);
        if (this.isEmpty) break;
      }
    }
    this.#isAnswering = false;
    if (this.#ending) this.#finish();
  }

  #finish(): void {
    for (const subscriber of this.#subscribers) subscriber.finish(this.#ending?.error);
  }

  /** The operation takes longer than its events leave time for, whoever reads the answers. */
  #overflow(): void {
    const bounds = { limit: MAX_QUEUED, actual: this.#queued };
    this.#clear();
    for (const subscriber of this.#subscribers)
      subscriber.cut('Events come faster than this operation is answered for them', bounds);
    this.stop();
  }

  #clear(): void {
    this.#queue = [];
    this.#queued = 0;
  }
}

/** The answers to the events of a batch, in order, some at a time; others have their turn in between. */
export async function* answeredInTurn(batch: Batch, answer: Answer): AsyncGenerator<readonly Told[]> {
  for (let from = 0; from < batch.length; from += AT_ONCE) {
    if (from > 0) await setImmediate();
    yield await Promise.all(batch.slice(from, from + AT_ONCE).map(answer));
  }
}
