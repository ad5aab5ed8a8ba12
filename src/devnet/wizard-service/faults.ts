import { z } from 'zod';
import { createSeededRandom } from '../world/random.ts';

/** What can be made to go wrong, all of it off by default. Given anew, the whole set is replaced. */
export const wizardFaultsSchema = z.strictObject({
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

export type WizardFaults = z.output<typeof wizardFaultsSchema>;
export type WizardFaultsInput = z.input<typeof wizardFaultsSchema>;
export type InjectedFailure = NonNullable<WizardFaults['failure']>;

export interface WizardFaultInjector {
  readonly current: WizardFaults;
  set(faults: WizardFaultsInput): void;
  /** How this request fails, if it does. Draws. */
  nextFailure(): InjectedFailure | undefined;
  /** Whether this request is one too many in its second. Counts. */
  isRateLimited(): boolean;
}

const RATE_RESOLUTION = 1_000_000;

export function createWizardFaultInjector(initial: WizardFaultsInput, now: () => number): WizardFaultInjector {
  let current = wizardFaultsSchema.parse(initial);
  let draws = createSeededRandom(current.failure?.seed ?? 1);
  let failed = 0;
  let counted = { second: 0, requests: 0 };
  return {
    get current() {
      return current;
    },
    set(faults) {
      current = wizardFaultsSchema.parse(faults);
      draws = createSeededRandom(current.failure?.seed ?? 1);
      failed = 0;
      counted = { second: 0, requests: 0 };
    },
    nextFailure() {
      const { failure } = current;
      if (failure === null || draws.nextInt(RATE_RESOLUTION) >= failure.rate * RATE_RESOLUTION) return undefined;
      if (failure.times !== null && failed >= failure.times) return undefined;
      failed += 1;
      return failure;
    },
    isRateLimited() {
      if (current.rateLimit === null) return false;
      const second = Math.floor(now() / 1000);
      counted = { second, requests: (counted.second === second ? counted.requests : 0) + 1 };
      return counted.requests > current.rateLimit;
    },
  };
}
