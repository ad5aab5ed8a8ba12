/**
 * Maximum number of concurrent statements of applications. The other connections are for notifications, the derivation
 * and the feeds.
 */
const MAX_RUNNING = 3;
/**
 * Maximum number of concurrent statements of one application, so that slow statements leave a connection to other
 * applications.
 */
const MAX_RUNNING_OF_APP = 2;

/**
 * Assigns connections to the statements of applications, which take turns: an application with 200 statements delays
 * another application by one statement.
 */
export class StatementTurns {
  /** The applications with statements, in the order of their turns. Undefined is the local caller. */
  readonly #queues = new Map<string | undefined, { running: number; readonly waiting: (() => void)[] }>();
  #running = 0;

  /** Executes a statement or a transaction of an application when it is its turn. */
  async run<T>(app: string | undefined, execute: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(app) ?? { running: 0, waiting: [] };
    this.#queues.set(app, queue);
    await new Promise<void>((resolve) => {
      queue.waiting.push(resolve);
      this.#startNext();
    });
    try {
      return await execute();
    } finally {
      queue.running -= 1;
      this.#running -= 1;
      if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(app);
      this.#startNext();
    }
  }

  #startNext(): void {
    if (this.#running >= MAX_RUNNING) return;
    for (const [app, queue] of this.#queues) {
      if (queue.waiting.length === 0 || queue.running >= MAX_RUNNING_OF_APP) continue;
      this.#running += 1;
      queue.running += 1;
      this.#queues.delete(app);
      this.#queues.set(app, queue);
      queue.waiting.shift()!();
      return;
    }
  }
}
