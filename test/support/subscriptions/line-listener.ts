// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import type { Line } from './lines.ts';
import type { Book } from './replay-checker.ts';

/** What a client subscribes to. */
export interface Wanted {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  /** Where it begins; at the present when left out. */
  readonly after?: string | undefined;
  /** Where an event's cursor is; nowhere when left out. */
  readonly cursorOf?: (event: any) => string | undefined;
}

/** Ends of a subscription that its client goes on from: a broken line, or that it was too slow. */
const BORNE: ReadonlySet<string> = new Set(['broken', 'SLOW_CONSUMER']);

/** One subscription that goes on whatever breaks, as `examples/follow.mjs` has it, and writes down in a book what it is told. */
export class LineListener<Kept extends Book = Book> {
  readonly line: Line;
  readonly book: Kept;
  events = 0;
  /** How often it had to begin anew, by why. */
  readonly breaks: Record<string, number> = {};
  /** The first thing that was not as it should be. */
  flaw: Error | undefined;
  /** Whether it has not got everything yet that there was when it began anew. */
  isCatchingUp = false;
  #cursor: string | undefined;
  /** Whether it has been told anything since it began anew. */
  #isTold = false;
  readonly #done: Promise<void>;

  constructor(line: Line, book: Kept, wanted: Wanted) {
    this.line = line;
    this.book = book;
    this.#cursor = wanted.after;
    this.#done = this.#listen(wanted).catch((error) => {
      this.flaw ??= error instanceof Error ? error : new Error(JSON.stringify(error));
    });
  }

  async #listen({ cursorOf = () => undefined, ...wanted }: Wanted): Promise<void> {
    const onBreak = (error: unknown) => this.#noteBreak(error);
    // Pauses as short as can be, so that a run is about what breaks and not about waits.
    for await (const data of follow(this.line, {
      ...wanted,
      cursorOf: (data: any) => cursorOf(only(data)),
      onBreak,
      pauseMs: 1,
    })) {
      const event = only(data);
      this.book.take(event);
      this.#cursor = cursorOf(event);
      this.#isTold = true;
      this.events += 1;
      if (this.isCatchingUp && this.book.isComplete) this.isCatchingUp = false;
    }
    if (!this.line.isClosed) throw new Error('it ended as if everything were said');
  }

  #noteBreak(error: any): void {
    if (this.line.isClosed) return;
    const { code = 'broken', cursor } = (Array.isArray(error) && error[0].extensions) || {};
    this.breaks[code] = (this.breaks[code] ?? 0) + 1;
    this.isCatchingUp = true;
    if (!BORNE.has(code)) this.flaw ??= new Error(`it ended with ${JSON.stringify(error)}`);
    // Whoever has nothing else goes on by this one.
    if (code === 'SLOW_CONSUMER' && cursor !== (this.#isTold ? this.#cursor : undefined)) {
      this.flaw ??= new Error(`SLOW_CONSUMER names ${cursor}, and the last one was ${this.#cursor}`);
    }
    this.#isTold = false;
  }

  /** Resolves when nothing is told any more, once its line is closed. */
  get ended(): Promise<void> {
    return this.#done;
  }
}

const only = (data: object) => Object.values(data)[0];
