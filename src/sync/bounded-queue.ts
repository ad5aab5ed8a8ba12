/** FIFO queue for one consumer. On overflow it drops all items: reading the node's latest block replaces them. */
export class BoundedQueue<T> {
  /** Number of overflows so far. */
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

  /** Resolves with the next item, or with undefined after `timeoutMs`, once after an overflow, and always after `close`. */
  async take(timeoutMs: number): Promise<T | undefined> {
    if (this.#items.length === 0 && !this.#hasOverflowed && !this.#closed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
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

  /** Drops all items and ignores later ones. */
  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#wake?.();
  }
}
