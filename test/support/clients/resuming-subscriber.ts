// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import type { ReplayChecker } from '../subscriptions/replay-checker.ts';
import type { ClientConnection } from './connections.ts';

/** A subscription document and its variables. */
export interface ResumableSubscription {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  /** The first cursor; the current head by default. */
  readonly after?: string | undefined;
  /** Returns the cursor of an event; events have none by default. */
  readonly cursorOf?: (event: { readonly cursor: string; readonly hash: string }) => string | undefined;
}

/** Ends that a client resumes after: a lost connection or SLOW_CONSUMER. */
const RECOVERABLE_ENDINGS: ReadonlySet<string> = new Set(['broken', 'SLOW_CONSUMER']);

/** A subscription that resumes like `examples/follow.mjs` and passes each event to a replay checker. */
export class ResumingSubscriber<Retained extends ReplayChecker = ReplayChecker> {
  readonly connection: ClientConnection;
  readonly checker: Retained;
  events = 0;
  /** Resumptions by reason. */
  readonly interruptions: Record<string, number> = {};
  /** The first inconsistency. */
  error: Error | undefined;
  /** Whether the backlog of the last resumption is incomplete. */
  isCatchingUp = false;
  #cursor: string | undefined;
  /** Whether an event has arrived since the last resumption. */
  #hasReceivedEvent = false;
  readonly #finished: Promise<void>;

  constructor(line: ClientConnection, book: Retained, wanted: ResumableSubscription) {
    this.connection = line;
    this.checker = book;
    this.#cursor = wanted.after;
    this.#finished = this.#consume(wanted).catch((error) => {
      this.error ??= error instanceof Error ? error : new Error(JSON.stringify(error));
    });
  }

  async #consume({ cursorOf = () => undefined, ...wanted }: ResumableSubscription): Promise<void> {
    const onBreak = (error: unknown) => this.#recordInterruption(error);
    // Minimal reconnect delays keep the run short.
    for await (const data of follow(this.connection, {
      ...wanted,
      cursorOf: (data: object) => cursorOf(onlyValue(data)),
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

  #recordInterruption(error: unknown): void {
    if (this.connection.isClosed) return;
    const { code = 'broken', cursor } = (Array.isArray(error) && error[0].extensions) || {};
    this.interruptions[code] = (this.interruptions[code] ?? 0) + 1;
    this.isCatchingUp = true;
    if (!RECOVERABLE_ENDINGS.has(code)) this.error ??= new Error(`it ended with ${JSON.stringify(error)}`);
    // The cursor to resume after when there is no other.
    if (code === 'SLOW_CONSUMER' && cursor !== (this.#hasReceivedEvent ? this.#cursor : undefined)) {
      this.error ??= new Error(`SLOW_CONSUMER names ${cursor}, and the last one was ${this.#cursor}`);
    }
    this.#hasReceivedEvent = false;
  }

  /** Resolves when the subscription has ended after its connection is closed. */
  get done(): Promise<void> {
    return this.#finished;
  }
}

const onlyValue = (data: object) => Object.values(data)[0];
