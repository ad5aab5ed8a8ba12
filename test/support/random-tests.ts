/** The size of a long test: `short` in `npm test` and `npm run test:proofs`, `full` in `npm run prove`. */
export const runSize = (short: number, full: number): number => ('PROVE' in globalThis ? full : short);

/** The seed of the random tests of a run: SEED of the environment, to repeat a failed run, or a new one (jest.config.js). */
export const readSeed = (): number => Number(process.env.SEED);

// A global costs a lookup through the context of the test file at each use.
const { imul } = Math;

/** Returns a generator of numbers in [0, 1) for a seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
