/** What has come and waits for its turn, in order. When too much waits, all of it goes: the node is asked for its head instead. */
export class BoundedQueue<T> {
  /** How often all that waited was dropped. */
  overflows = 0;
  readonly #maxSize: number;
  #items: T[] = [];
  #hasOverflowed = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  put(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    if (this.#items.length > this.#maxSize) {
      this.#items = [];
      this.#hasOverflowed = true;
      this.overflows += 1;
    }
    this.#wake?.();
  }

  /** The next one; undefined when none has come within that time, when some were lost, and for ever after `close`. */
  async take(ms: number): Promise<T | undefined> {
    if (this.#items.length === 0 && !this.#hasOverflowed && !this.#closed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    if (this.#hasOverflowed) {
      this.#hasOverflowed = false;
      return undefined;
    }
    return this.#items.shift();
  }

  /** Nothing is taken in any more, and what waits is dropped. */
  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#wake?.();
  }
}
