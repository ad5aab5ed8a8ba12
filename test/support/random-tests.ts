/** How much a proof does: the short size in `npm test`, the whole in `npm run prove`. */
export const runSize = (short: number, whole: number): number => ('PROVE' in globalThis ? whole : short);

/** The seed of a random test: from the environment, so that a failing run can be run again, else a new one. Print it. */
export const readSeed = (): number => Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));

/** A stream of numbers in [0, 1) that a seed decides (mulberry32). */
export function random(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
