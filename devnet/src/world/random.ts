/** A repeatable random sequence: equal seeds give equal sequences. */
export interface SeededRandom {
  /** The seed of a sequence that continues this sequence. */
  readonly state: number;
  /** An integer in [0, limit). */
  nextInt(limit: number): number;
  /** An item of a non-empty list. */
  pick<Item>(items: readonly Item[]): Item;
}

/** mulberry32, with 32 bits of state. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const nextInt = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    get state() {
      return state;
    },
    nextInt,
    pick: (items) => items[nextInt(items.length)]!,
  };
}
