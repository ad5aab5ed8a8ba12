/** What has come and waits for its turn, in order. When too much waits, all of it goes: the node is asked for its head instead. */
export class Mailbox<T> {
  /** How often all that waited was dropped. */
  overflows = 0;
  readonly #most: number;
  #waiting: T[] = [];
  #overflown = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  put(item: T): void {
    if (this.#closed) return;
    this.#waiting.push(item);
    if (this.#waiting.length > this.#most) {
      this.#waiting = [];
      this.#overflown = true;
      this.overflows += 1;
    }
    this.#wake?.();
  }

  /** The next one; undefined when none has come within that time, when some were lost, and for ever after `close`. */
  async take(ms: number): Promise<T | undefined> {
    if (this.#waiting.length === 0 && !this.#overflown && !this.#closed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    if (this.#overflown) {
      this.#overflown = false;
      return undefined;
    }
    return this.#waiting.shift();
  }

  /** Nothing is taken in any more, and what waits is dropped. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#wake?.();
  }
}
