/** Repeatable choices: the same seed always gives the same sequence. */
export interface SeededRandom {
  /** A whole number from 0 up to, not including, `limit`. */
  nextInt(limit: number): number;
  /** One item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/** mulberry32: 32 bits of state, even enough for a made-up world. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const nextInt = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return { nextInt, pick: (items) => items[nextInt(items.length)]! };
}
