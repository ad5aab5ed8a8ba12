import { random } from './random-tests.ts';

/** Choices that a seed decides. */
export interface RandomChoices {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number;
  pick<T>(from: readonly T[]): T;
  /** A random element; its weight is its relative frequency. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
  /** A list of `count` elements. */
  many<T>(count: number, make: (at: number) => T): T[];
  bytes(count: number): Buffer;
  hex(bytes: number): string;
}

export function createRandomChoices(seed: number): RandomChoices {
  const next = random(seed);
  const below = (end: number) => Math.floor(next() * end);
  const draw: RandomChoices = {
    chance: (probability) => next() < probability,
    below,
    pick: (from) => from[below(from.length)]!,
    weighted(from) {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of from) {
        left -= weight;
        if (left < 0) return value;
      }
      return from.at(-1)![1];
    },
    many: (count, make) => Array.from({ length: count }, (_none, at) => make(at)),
    bytes: (count) => Buffer.from(draw.many(count, () => below(256))),
    hex: (bytes) => `0x${draw.bytes(bytes).toString('hex')}`,
  };
  return draw;
}
