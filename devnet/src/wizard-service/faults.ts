import { z } from 'zod';
import { createSeededRandom } from '../world/random.ts';

/** Faults of the wizard service, all off by default. A new set replaces the previous one. */
export const wizardFaultsSchema = z.strictObject({
  /** Delay before every response, in milliseconds. */
  latency: z.number().int().min(0).max(600_000).default(0),
  /** Requests that fail. */
  failure: z
    .strictObject({
      /**
       * `status`: that status with an HTML page. `html`: an HTML page with 200. `truncated`: the connection ends within the response.
       * `silent`: no response. `reset`: the connection is reset before the response.
       */
      kind: z.enum(['status', 'html', 'truncated', 'silent', 'reset']),
      /** Status of the kind `status`. */
      status: z.number().int().min(400).max(599).default(500),
      /** Share of requests. */
      rate: z.number().min(0).max(1).default(1),
      seed: z.number().int().default(1),
      /** Number of failures; null for no limit. */
      times: z.number().int().min(1).nullable().default(null),
    })
    .nullable()
    .default(null),
  /** Requests per second; more are rejected with 429. */
  rateLimit: z.number().int().min(0).nullable().default(null),
  /** Uses the field and filter names of the earlier revision. */
  oldNames: z.boolean().default(false),
  /** Returns lists as bare arrays. */
  bareArrays: z.boolean().default(false),
  /** Returns every integer as a decimal string. */
  numbersAsStrings: z.boolean().default(false),
  /** Number of blocks that the service lags behind the head, from its next poll on. */
  lag: z.number().int().min(0).default(0),
});

export type WizardFaults = z.output<typeof wizardFaultsSchema>;
export type WizardFaultsInput = z.input<typeof wizardFaultsSchema>;
export type InjectedFailure = NonNullable<WizardFaults['failure']>;

export interface WizardFaultInjector {
  readonly current: WizardFaults;
  set(faults: WizardFaultsInput): void;
  /** The failure of this request, if any. Advances the random sequence. */
  nextFailure(): InjectedFailure | undefined;
  /** Counts the request; true if it exceeds the limit of its second. */
  isRateLimited(): boolean;
}

const RATE_RESOLUTION = 1_000_000;

export function createWizardFaultInjector(initial: WizardFaultsInput, now: () => number): WizardFaultInjector {
  let current = wizardFaultsSchema.parse(initial);
  let random = createSeededRandom(current.failure?.seed ?? 1);
  let failed = 0;
  let counted = { second: 0, requests: 0 };
  return {
    get current() {
      return current;
    },
    set(faults) {
      current = wizardFaultsSchema.parse(faults);
      random = createSeededRandom(current.failure?.seed ?? 1);
      failed = 0;
      counted = { second: 0, requests: 0 };
    },
    nextFailure() {
      const { failure } = current;
      if (failure === null || random.nextInt(RATE_RESOLUTION) >= failure.rate * RATE_RESOLUTION) return undefined;
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
