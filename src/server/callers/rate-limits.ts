import { LRUCache } from 'lru-cache';
import { GraphError } from '../../lib/errors.ts';
import type { Caller } from '../../operation/operation.ts';
import type { OperationObserver } from '../../operation/operation-observer.ts';

const MINUTE_MS = 60_000;
const MAX_BUCKETS = 100_000;
/** Tolerance, as a part of a token, for a bucket that rounding leaves below a whole token. */
const ROUNDING = 1e-6;

/** Limits of each application or address, at least 1; undefined means no limit. */
export interface RateLimitOptions {
  readonly requestsPerMinute?: number | undefined;
  readonly costPerMinute?: number | undefined;
}

/** The remaining tokens of a client; `cost` is negative after an operation that cost more than the remaining tokens. */
interface Bucket {
  requests: number;
  cost: number;
  /** Time at which the tokens were counted. */
  countedAt: number;
}

/** The limits of this process, or of all processes of the server, whose check is asynchronous. */
export interface RequestLimits {
  /**
   * Counts a request and returns the key of its client. Throws RATE_LIMITED, and counts nothing, if the request
   * exceeds a limit.
   */
  check(caller: Pick<Caller, 'app'> | undefined, clientAddress: string | undefined): string | Promise<string>;
  /** Subtracts the cost of an operation from the remaining cost of its client. */
  spend(key: string, cost: number): void;
}

/** Spends the actual cost of each operation. */
export const costObserver = (limits: RequestLimits): OperationObserver => ({
  end({ observed: { origin, operation } }) {
    const key = origin?.rateLimitKey;
    if (key !== undefined && operation?.budget) limits.spend(key, operation.budget.spent);
  },
});

/**
 * Creates the limits of the rate of requests and of their cost, for each application, or for each address without an
 * application; undefined without limits. A bucket holds the tokens of one minute and is refilled continuously; `now` is
 * in milliseconds. Above 100,000 buckets, the least recently used bucket is removed.
 */
export function createRequestLimits(
  { requestsPerMinute, costPerMinute }: RateLimitOptions,
  now = () => performance.now(),
): RequestLimits | undefined {
  if (requestsPerMinute === undefined && costPerMinute === undefined) return undefined;
  const requestLimit = requestsPerMinute ?? Number.MAX_VALUE;
  const costLimit = costPerMinute ?? Number.MAX_VALUE;
  const buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  const refilledBucket = (key: string): Bucket => {
    const time = now();
    const bucket = buckets.get(key) ?? { requests: requestLimit, cost: costLimit, countedAt: time };
    const minutes = (time - bucket.countedAt) / MINUTE_MS;
    bucket.requests = Math.min(requestLimit, bucket.requests + requestLimit * minutes);
    bucket.cost = Math.min(costLimit, bucket.cost + costLimit * minutes);
    bucket.countedAt = time;
    buckets.set(key, bucket);
    return bucket;
  };

  return {
    check(caller, clientAddress) {
      const key = caller?.app === undefined ? `address:${clientAddress}` : `app:${caller.app}`;
      const bucket = refilledBucket(key);
      const requestWaitMs = waitMs(bucket.requests, requestLimit);
      const costWaitMs = waitMs(bucket.cost, costLimit);
      if (costWaitMs > requestWaitMs) throw rateLimited('RATE_LIMIT_COST', 'units of cost', costLimit, costWaitMs);
      if (requestWaitMs > 0) throw rateLimited('RATE_LIMIT_REQUESTS', 'requests', requestLimit, requestWaitMs);
      bucket.requests--;
      return key;
    },
    spend(key, cost) {
      refilledBucket(key).cost -= cost;
    },
  };
}

/** The time until a bucket has a token, in whole milliseconds; 0 if it has one. */
const waitMs = (tokens: number, limit: number): number =>
  tokens >= 1 - ROUNDING ? 0 : Math.ceil(((1 - tokens) * MINUTE_MS) / limit);

function rateLimited(setting: string, unit: string, limit: number, retryAfterMs: number): GraphError {
  const message = `The rate exceeds ${limit} ${unit} per minute (${setting}). Send the request again after ${retryAfterMs} ms.`;
  return new GraphError('RATE_LIMITED', message, { limit, setting, retryAfterMs });
}

/**
 * Returns the key of the client whose subscriptions share a limit: an application at one address, or an address without an application. Undefined
 * if neither is known.
 */
export const subscribingClient = (caller: Caller | undefined, clientAddress: string | undefined): string | undefined =>
  caller?.app === undefined ? clientAddress : JSON.stringify([caller.app, clientAddress ?? null]);
