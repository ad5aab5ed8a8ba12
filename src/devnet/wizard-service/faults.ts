import { z } from 'zod';
import { seeded } from '../world/random.ts';

/** What can be made to go wrong, all of it off by default. Given anew, the whole set is replaced. */
export const faultsSchema = z.strictObject({
  /** Milliseconds before every answer. */
  latency: z.number().int().min(0).max(600_000).default(0),
  /** Requests that get no proper answer. */
  failure: z
    .strictObject({
      /**
       * `status`: that status, with a page of text. `html`: a page of text with 200. `truncated`: the connection ends within the answer.
       * `silent`: nothing ever comes. `reset`: the connection ends before the answer.
       */
      kind: z.enum(['status', 'html', 'truncated', 'silent', 'reset']),
      /** Of kind `status`. */
      status: z.number().int().min(400).max(599).default(500),
      /** Share of requests. */
      rate: z.number().min(0).max(1).default(1),
      seed: z.number().int().default(1),
      /** After so many all is well; null for never. */
      times: z.number().int().min(1).nullable().default(null),
    })
    .nullable()
    .default(null),
  /** Requests a second; those beyond are answered with 429. */
  rateLimit: z.number().int().min(0).nullable().default(null),
  /** The earlier revision's names of fields and filters. */
  oldNames: z.boolean().default(false),
  /** Lists come as arrays, without the object around them. */
  bareArrays: z.boolean().default(false),
  /** Every integer comes as a decimal string. */
  numbersAsStrings: z.boolean().default(false),
  /** The service reads so many blocks behind the chain's head, from its next look on. */
  lag: z.number().int().min(0).default(0),
});

export type Faults = z.output<typeof faultsSchema>;
export type FaultsInput = z.input<typeof faultsSchema>;
export type Failure = NonNullable<Faults['failure']>;

export interface FaultSwitches {
  readonly current: Faults;
  set(faults: FaultsInput): void;
  /** How this request fails, if it does. Draws. */
  failure(): Failure | undefined;
  /** Whether this request is one too many in its second. Counts. */
  tooMany(): boolean;
}

const FINE = 1_000_000;

export function switchFaults(initial: FaultsInput, now: () => number): FaultSwitches {
  let current = faultsSchema.parse(initial);
  let draws = seeded(current.failure?.seed ?? 1);
  let failed = 0;
  let counted = { second: 0, requests: 0 };
  return {
    get current() {
      return current;
    },
    set(faults) {
      current = faultsSchema.parse(faults);
      draws = seeded(current.failure?.seed ?? 1);
      failed = 0;
      counted = { second: 0, requests: 0 };
    },
    failure() {
      const { failure } = current;
      if (failure === null || draws.below(FINE) >= failure.rate * FINE) return undefined;
      if (failure.times !== null && failed >= failure.times) return undefined;
      failed += 1;
      return failure;
    },
    tooMany() {
      if (current.rateLimit === null) return false;
      const second = Math.floor(now() / 1000);
      counted = { second, requests: (counted.second === second ? counted.requests : 0) + 1 };
      return counted.requests > current.rateLimit;
    },
  };
}
