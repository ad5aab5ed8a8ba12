/** Approximate size of a recorded block: its hash, and an entry of a map. */
const BYTES_PER_BLOCK = 150;

/**
 * The dependencies of one response. They determine how long a cache may serve the response. Loaders record each read,
 * except reads of values that the arguments determine.
 */
export class ResponseDependencies {
  #isVolatile = false;
  #isHeadRead = false;
  /** Height by hash of each block that was read; undefined while only the hash is known. */
  readonly #blocks = new Map<string, number | undefined>();
  #maxHeight = Number.NEGATIVE_INFINITY;
  #lastHash: string | undefined;
  /** Keys of the calls whose results may still change while the head is unchanged. */
  #unconfirmed: Set<string> | undefined;

  /**
   * Whether the response may differ while the head is unchanged, because it depends on gas prices, pending data or
   * missing objects.
   */
  get isVolatile(): boolean {
    return this.#isVolatile || (this.#unconfirmed !== undefined && this.#unconfirmed.size > 0);
  }

  /** Whether the response depends on which block is the head, besides the blocks that were read. */
  get isHeadRead(): boolean {
    return this.#isHeadRead;
  }

  /** Approximate size of the recorded blocks, for the limit of a cache that retains them. */
  get bytes(): number {
    return BYTES_PER_BLOCK * this.#blocks.size;
  }

  /** Records a value that may differ while the head is unchanged. */
  addVolatile(): void {
    this.#isVolatile = true;
  }

  /** Records a result that may differ while the head is unchanged, unless `confirm` is called with its key. */
  addUnconfirmed(key: string): void {
    this.#unconfirmed ??= new Set();
    this.#unconfirmed.add(key);
  }

  /** Records that the result of an unconfirmed call is valid. */
  confirm(key: string): void {
    this.#unconfirmed?.delete(key);
  }

  /** Records a value that changes with the head, such as a number of confirmations. */
  addHead(): void {
    this.#isHeadRead = true;
  }

  /** Records data of a block. The height may follow in a later call. */
  addBlock(hash: string, height?: number): void {
    // Thousands of consecutive reads name one block.
    if (height === undefined && hash === this.#lastHash) return;
    this.#lastHash = hash;
    const key = hash.toLowerCase();
    if (height !== undefined || !this.#blocks.has(key)) this.#blocks.set(key, height);
  }

  /** Records data of the canonical chain up to a height. */
  addHeight(height: number): void {
    this.#maxHeight = Math.max(this.#maxHeight, height);
  }

  /** Whether data of a block was read. */
  hasBlock(hash: string): boolean {
    return this.#blocks.has(hash.toLowerCase());
  }

  /**
   * Returns the greatest height of the data that was read. Infinity if no data of a block was read, or if neither the
   * reads nor `heightOf` know the height of a block that was read.
   */
  maxHeight(heightOf: (hash: string) => number | undefined): number {
    let max = this.#maxHeight;
    for (const [hash, height = heightOf(hash)] of this.#blocks) max = Math.max(max, height ?? Number.POSITIVE_INFINITY);
    return max === Number.NEGATIVE_INFINITY ? Number.POSITIVE_INFINITY : max;
  }
}
