import type { Caller } from '../../graphql/caller.ts';
import type { OperationObserver } from '../../graphql/pipeline/operation-observer.ts';
import { createRateLimits, type RateLimitOptions } from './rate-limits.ts';

/** The rate limits of a server, by application or by address of the client. */
export interface RequestLimits {
  /** Whether requests are limited: only then the address of a client is needed. */
  readonly isEnabled: boolean;
  /**
   * Counts a request and returns the key of its client in the limits; undefined where the server has no limits. Throws RATE_LIMITED.
   */
  check(caller: Caller | undefined, clientAddress: string | undefined): string | undefined;
  /** Charges the actual cost of each operation. */
  readonly observer: OperationObserver;
}

/**
 * Returns the key of the client whose subscriptions share a limit: an application at one address, or an address without an application. Undefined
 * if neither is known.
 */
export const subscribingClient = (caller: Caller | undefined, clientAddress: string | undefined): string | undefined =>
  caller?.app === undefined ? clientAddress : JSON.stringify([caller.app, clientAddress ?? null]);

/** Creates the rate limits. Clients of an unlisted proxy share its address. */
export function createRequestLimits(options: RateLimitOptions): RequestLimits {
  const isLimited = options.requestsPerMinute !== undefined || options.costPerMinute !== undefined;
  // The table of the buckets takes 4 MB.
  const limits = isLimited ? createRateLimits(options) : undefined;
  return {
    isEnabled: isLimited,
    check(caller, clientAddress) {
      if (!limits) return undefined;
      const key = caller?.app === undefined ? `address:${clientAddress}` : `app:${caller.app}`;
      limits.check(key);
      return key;
    },
    observer: {
      end({ observed: { origin, operation } }) {
        const key = origin?.rateLimitKey;
        if (key !== undefined && operation?.budget) limits?.charge(key, operation.budget.spent);
      },
    },
  };
}
