/** The keys that an estimate has counted in one chain, or in several that one field names: each chain has its own object with a key. */
export class CountedKeys {
  readonly #chains: number;
  readonly #keys = new Set<string>();
  /** Lists whose keys are counted: many fields can use one variable. */
  readonly #lists = new Set<readonly string[]>();

  constructor(chains = 1) {
    this.#chains = chains;
  }

  /** Returns the number of objects whose keys are not counted yet. All objects if the request names no keys, or more keys than objects. */
  add(keys: readonly string[] | undefined, objectCount: number): number {
    if (!keys || keys.length * this.#chains > objectCount) return objectCount;
    if (this.#lists.has(keys)) return 0;
    this.#lists.add(keys);
    const before = this.#keys.size;
    for (const key of keys) this.#keys.add(key.toLowerCase());
    return (this.#keys.size - before) * this.#chains;
  }
}
