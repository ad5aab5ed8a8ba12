import type { Cancellation } from './abort.ts';

/** Maximum number of runs at the same time: of all callers, and of one caller. */
interface TurnLimits {
  readonly running: number;
  readonly runningOfCaller: number;
}

/** Limits how much work runs at the same time. The callers take turns: a caller with 200 waiting runs delays another caller by one run. */
export class CallerTurns {
  readonly #limits: TurnLimits;
  /** The callers with work, in the order of their turns. Undefined is the local caller. */
  readonly #queues = new Map<string | undefined, { running: number; readonly waiting: (() => void)[] }>();
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Executes work of a caller when it is its turn. Rejects with the reason of the signal, and executes nothing, if it has been aborted by then. */
  async run<T>(caller: string | undefined, execute: () => Promise<T>, signal?: Cancellation): Promise<T> {
    const queue = this.#queues.get(caller) ?? { running: 0, waiting: [] };
    this.#queues.set(caller, queue);
    await new Promise<void>((resolve) => {
      queue.waiting.push(resolve);
      this.#startNext();
    });
    try {
      signal?.throwIfAborted();
      return await execute();
    } finally {
      queue.running -= 1;
      this.#running -= 1;
      if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(caller);
      this.#startNext();
    }
  }

  #startNext(): void {
    if (this.#running >= this.#limits.running) return;
    for (const [caller, queue] of this.#queues) {
      if (queue.waiting.length === 0 || queue.running >= this.#limits.runningOfCaller) continue;
      this.#running += 1;
      queue.running += 1;
      this.#queues.delete(caller);
      this.#queues.set(caller, queue);
      queue.waiting.shift()!();
      return;
    }
  }
}
