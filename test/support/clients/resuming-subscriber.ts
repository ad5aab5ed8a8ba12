// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import type { ReplayChecker } from '../subscriptions/replay-checker.ts';
import type { ClientConnection } from './connections.ts';

/** What a client subscribes to. */
export interface ResumableSubscription {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  /** Where it begins; at the present when left out. */
  readonly after?: string | undefined;
  /** Where an event's cursor is; nowhere when left out. */
  readonly cursorOf?: (event: any) => string | undefined;
}

/** Ends of a subscription that its client goes on from: a broken line, or that it was too slow. */
const RECOVERABLE_ENDINGS: ReadonlySet<string> = new Set(['broken', 'SLOW_CONSUMER']);

/** One subscription that goes on whatever breaks, as `examples/follow.mjs` has it, and writes down in a book what it is told. */
export class ResumingSubscriber<Kept extends ReplayChecker = ReplayChecker> {
  readonly connection: ClientConnection;
  readonly checker: Kept;
  events = 0;
  /** How often it had to begin anew, by why. */
  readonly interruptions: Record<string, number> = {};
  /** The first thing that was not as it should be. */
  error: Error | undefined;
  /** Whether it has not got everything yet that there was when it began anew. */
  isCatchingUp = false;
  #cursor: string | undefined;
  /** Whether it has been told anything since it began anew. */
  #hasReceivedEvent = false;
  readonly #finished: Promise<void>;

  constructor(line: ClientConnection, book: Kept, wanted: ResumableSubscription) {
    this.connection = line;
    this.checker = book;
    this.#cursor = wanted.after;
    this.#finished = this.#consume(wanted).catch((error) => {
      this.error ??= error instanceof Error ? error : new Error(JSON.stringify(error));
    });
  }

  async #consume({ cursorOf = () => undefined, ...wanted }: ResumableSubscription): Promise<void> {
    const onBreak = (error: unknown) => this.#recordInterruption(error);
    // Pauses as short as can be, so that a run is about what breaks and not about waits.
    for await (const data of follow(this.connection, {
      ...wanted,
      cursorOf: (data: any) => cursorOf(onlyValue(data)),
      onBreak,
      pauseMs: 1,
    })) {
      const event = onlyValue(data);
      this.checker.apply(event);
      this.#cursor = cursorOf(event);
      this.#hasReceivedEvent = true;
      this.events += 1;
      if (this.isCatchingUp && this.checker.isComplete) this.isCatchingUp = false;
    }
    if (!this.connection.isClosed) throw new Error('it ended as if everything were said');
  }

  #recordInterruption(error: any): void {
    if (this.connection.isClosed) return;
    const { code = 'broken', cursor } = (Array.isArray(error) && error[0].extensions) || {};
    this.interruptions[code] = (this.interruptions[code] ?? 0) + 1;
    this.isCatchingUp = true;
    if (!RECOVERABLE_ENDINGS.has(code)) this.error ??= new Error(`it ended with ${JSON.stringify(error)}`);
    // Whoever has nothing else goes on by this one.
    if (code === 'SLOW_CONSUMER' && cursor !== (this.#hasReceivedEvent ? this.#cursor : undefined)) {
      this.error ??= new Error(`SLOW_CONSUMER names ${cursor}, and the last one was ${this.#cursor}`);
    }
    this.#hasReceivedEvent = false;
  }

  /** Resolves when nothing is told any more, once its line is closed. */
  get done(): Promise<void> {
    return this.#finished;
  }
}

const onlyValue = (data: object) => Object.values(data)[0];
