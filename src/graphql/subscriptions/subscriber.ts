import { GraphError } from '../../errors.ts';
import type { Stream } from '../stream.ts';
import { MAX_WAITING_FOR_ALL } from './backpressure.ts';
import { answeredInTurn, type Group } from './group.ts';
import type { Outlet, Told } from './subscription-sink.ts';

/** What waits for one subscriber to read it, at most. The bytes are those of all: what counts here is how far behind it is. */
const MAX_WAITING_EVENTS = 1_000;
const MAX_WAITING_BYTES = 1024 * 1024;

/** One of those who share a stream: gets what it missed by itself, then what all get, in order. */
export class Subscriber {
  /** How many batches had come before it: those are not for it. */
  readonly since: number;
  readonly #group: Group;
  readonly #outlet: Outlet;
  readonly #waiting: Told[] = [];
  /** What it missed, as far as it is answered and waits. */
  readonly #missed: Told[] = [];
  #waitingBytes = 0;
  #cursor: string | undefined;
  /** While it gets what it missed: ends that. */
  #replay: AbortController | undefined;
  /** Goes on with what was missed, when that waits for room. */
  #onRoom: (() => void) | undefined;
  /** How the stream has ended, when that is still to be told. */
  #ending: { readonly error: unknown } | undefined;
  #hasLeft = false;

  constructor(group: Group, outlet: Outlet, since: number) {
    this.#group = group;
    this.#outlet = outlet;
    this.since = since;
  }

  /** Begins with what came before; to be called in the moment in which it joins, since the stream's place is taken now. */
  replay(backlog: NonNullable<Stream['backlog']>): void {
    this.#replay = new AbortController();
    void this.#tellMissed(backlog, this.#replay.signal);
  }

  /** What all get. */
  tell(events: readonly Told[]): void {
    for (const event of events) {
      if (this.#hasLeft) return;
      if (this.#replay || this.#waiting.length > 0 || this.#outlet.isFull()) this.#wait(event);
      else this.#write(event);
    }
  }

  /** There is room again. */
  flush(): void {
    const goOn = this.#onRoom;
    this.#onRoom = undefined;
    goOn?.();
    if (goOn || this.#replay) return;
    let count = 0;
    while (count < this.#waiting.length && !this.#outlet.isFull()) {
      const event = this.#waiting[count++]!;
      this.#waitingBytes -= event.body.length;
      this.#group.waiting.remove(event);
      this.#write(event);
    }
    this.#waiting.splice(0, count);
    if (this.#ending && this.#waiting.length === 0) this.#end(this.#ending.error);
  }

  /** The stream has ended, for all; told behind what still waits. */
  finish(error: unknown): void {
    if (this.#replay || this.#waiting.length > 0) this.#ending = { error };
    else this.#end(error);
  }

  /** It cannot keep up: it may go on behind the last event that it was given. */
  cut(reason: string, bounds: { readonly limit: number; readonly actual: number }): void {
    const cursor = this.#cursor;
    const [advice, place] = cursor === undefined ? ['subscribe again', {}] : ['subscribe again behind `cursor`', { cursor }];
    this.#group.counts.slow++;
    this.#end(new GraphError('SLOW_CONSUMER', `${reason}; ${advice}.`, { ...bounds, ...place }));
  }

  /** Wants no more. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const event of [...this.#waiting.splice(0), ...this.#missed.splice(0)]) this.#group.waiting.remove(event);
    this.#replay?.abort(new GraphError('TIMEOUT', 'The subscriber is gone.'));
    this.#onRoom?.();
    this.#group.remove(this);
  }

  /** Everything behind a subscriber's place, at the pace at which it reads. */
  async #tellMissed(backlog: NonNullable<Stream['backlog']>, signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of backlog(signal)) {
        for await (const events of answeredInTurn(batch, this.#group.answer)) {
          for (const [i, event] of events.entries()) {
            if (signal.aborted) return;
            if (this.#missed.length === 0 && this.#outlet.isFull()) this.#keep(events.slice(i));
            while (!signal.aborted && this.#outlet.isFull()) await this.#room();
            if (signal.aborted) return;
            if (this.#missed.shift()) this.#group.waiting.remove(event);
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

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve;
    });
  }

  #write(event: Told): void {
    this.#cursor = event.cursor ?? this.#cursor;
    this.#group.counts.sent++;
    this.#outlet.send(event);
  }

  #wait(event: Told): void {
    const count = this.#waiting.push(event);
    this.#waitingBytes += event.body.length;
    this.#group.waiting.add(event);
    if (count > MAX_WAITING_EVENTS) this.cut(SLOW, { limit: MAX_WAITING_EVENTS, actual: count });
    // One may wait, however long it is.
    else if (count > 1 && this.#waitingBytes > MAX_WAITING_BYTES)
      this.cut(SLOW, { limit: MAX_WAITING_BYTES, actual: this.#waitingBytes });
    else this.#cutOfMany();
  }

  /** What it missed is not shared, so that much of it may wait where many go on at once. */
  #keep(events: readonly Told[]): void {
    this.#missed.push(...events);
    for (const event of events) this.#group.waiting.add(event);
    this.#cutOfMany();
  }

  #cutOfMany(): void {
    const { bytes } = this.#group.waiting;
    if (bytes > MAX_WAITING_FOR_ALL) this.cut(SLOW_ALL, { limit: MAX_WAITING_FOR_ALL, actual: bytes });
  }

  #end(error: unknown): void {
    if (this.#hasLeft) return;
    this.leave();
    this.#outlet.end(this.#withCursor(error));
  }

  /** An error after which the client may subscribe again carries the place behind which it does. */
  #withCursor(error: unknown): unknown {
    if (!(error instanceof GraphError) || !error.extensions.retryable) return error;
    if (this.#cursor === undefined || error.extensions.cursor !== undefined) return error;
    return new GraphError(error.code, error.message, { ...error.extensions, cursor: this.#cursor, cause: error });
  }
}

const SLOW = 'Events are read more slowly than they come';
const SLOW_ALL = 'Too much waits for those who read more slowly than events come';
