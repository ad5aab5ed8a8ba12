import { LRUCache } from 'lru-cache';
import { GraphError } from '../../lib/errors.ts';
import type { Caller } from '../../operation/operation.ts';
import type { OperationRecord } from '../../operation/operation-observer.ts';

const MINUTE_MS = 60_000;
const MAX_BUCKETS = 100_000;
/** Number of new buckets after which expired ones are removed, at least. */
const MIN_BUCKETS_PER_PURGE = 1_024;
/** Part of a token by which rounding may keep a bucket below a whole one. */
const ROUNDING = 1e-6;

/** Limits of each application or address, at least 1; undefined does not limit. */
export interface RateLimitOptions {
  readonly requestsPerMinute?: number | undefined;
  readonly costPerMinute?: number | undefined;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** The tokens that are left for a key; `cost` is negative after an operation that cost more. */
interface Bucket {
  requests: number;
  cost: number;
  /** When the tokens were counted. */
  countedAt: number;
}

const limitOf = (setting: string, unit: string, limit: number | undefined) => ({ setting, unit, limit: limit ?? Infinity });

/**
 * Creates limits of the rate of requests and of their cost, by a key: an application or the address of a client. A bucket holds the tokens of one minute and is refilled continuously; `now` is in milliseconds. A full bucket is
 * removed, because a new one is equal. Above 100,000 buckets, the one that has not been used for the longest time is removed.
 */
export function createRateLimits(
  { requestsPerMinute, costPerMinute }: RateLimitOptions,
  now: () => number = () => performance.now(),
) {
  const requestLimit = limitOf('RATE_LIMIT_REQUESTS', 'requests', requestsPerMinute);
  const costLimit = limitOf('RATE_LIMIT_COST', 'units of cost', costPerMinute);
  const isLimited = requestsPerMinute !== undefined || costPerMinute !== undefined;
  const buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS, ttl: MINUTE_MS, ttlResolution: 0, perf: { now } });
  let addedSincePurge = 0;
  let bucketsPerPurge = MIN_BUCKETS_PER_PURGE;

  const refilled = (key: string): Bucket => {
    const time = now();
    const bucket = buckets.get(key);
    if (!bucket) return { requests: requestLimit.limit, cost: costLimit.limit, countedAt: time };
    const minutes = (time - bucket.countedAt) / MINUTE_MS;
    bucket.requests = refill(bucket.requests, requestLimit.limit, minutes);
    bucket.cost = refill(bucket.cost, costLimit.limit, minutes);
    bucket.countedAt = time;
    return bucket;
  };

  const store = (key: string, bucket: Bucket): void => {
    const msUntilFull = Math.max(
      waitMs(requestLimit.limit, bucket.requests, requestLimit.limit),
      waitMs(costLimit.limit, bucket.cost, costLimit.limit),
    );
    // The cache takes 0 for a bucket that never expires.
    if (msUntilFull === 0) return void buckets.delete(key);
    if (!buckets.has(key) && ++addedSincePurge >= bucketsPerPurge) {
      buckets.purgeStale();
      addedSincePurge = 0;
      bucketsPerPurge = Math.max(MIN_BUCKETS_PER_PURGE, buckets.size);
    }
    buckets.set(key, bucket, { ttl: msUntilFull });
  };

  return {
    /** Counts a request. Throws RATE_LIMITED, and counts nothing, if it does not fit into a limit. */
    check(key: string): void {
      if (!isLimited) return;
      const bucket = refilled(key);
      const requestWaitMs = waitMs(1, bucket.requests, requestLimit.limit);
      const costWaitMs = waitMs(1, bucket.cost, costLimit.limit);
      const retryAfterMs = Math.max(requestWaitMs, costWaitMs);
      if (retryAfterMs > 0) throw rateLimited(requestWaitMs >= costWaitMs ? requestLimit : costLimit, retryAfterMs);
      bucket.requests--;
      store(key, bucket);
    },
    /** Subtracts the cost of an executed operation, finite and not negative, from what later requests may cost. */
    charge(key: string, cost: number): void {
      if (costPerMinute === undefined) return;
      const bucket = refilled(key);
      bucket.cost -= cost;
      store(key, bucket);
    },
    /** Number of buckets, of which some may have become full since the last removal. */
    get bucketCount(): number {
      return buckets.size;
    },
  };
}

/** The tokens after some minutes. A full bucket stays full, also the infinite one of an unset limit. */
const refill = (tokens: number, limit: number, minutes: number): number =>
  tokens === limit ? limit : Math.min(limit, tokens + limit * minutes);

/** The time until a bucket has this number of tokens, in whole milliseconds; 0 if it has them. An unlimited one always has them. */
const waitMs = (needed: number, tokens: number, limit: number): number =>
  tokens >= needed - ROUNDING ? 0 : Math.ceil(((needed - tokens) * MINUTE_MS) / limit);

function rateLimited({ setting, unit, limit }: ReturnType<typeof limitOf>, retryAfterMs: number): GraphError {
  const message = `The rate exceeds ${limit} ${unit} per minute (${setting}). Send the request again after ${retryAfterMs} ms.`;
  return new GraphError('RATE_LIMITED', message, { limit, setting, retryAfterMs });
}

export type RequestLimits = ReturnType<typeof createRequestLimits>;

/**
 * Returns the key of the client whose subscriptions share a limit: an application at one address, or an address without an application. Undefined
 * if neither is known.
 */
export const subscribingClient = (caller: Caller | undefined, clientAddress: string | undefined): string | undefined =>
  caller?.app === undefined ? clientAddress : JSON.stringify([caller.app, clientAddress ?? null]);

/** Creates the rate limits of a server, by application or by address of the client. Clients of an unlisted proxy share its address. */
export function createRequestLimits(options: RateLimitOptions) {
  const isLimited = options.requestsPerMinute !== undefined || options.costPerMinute !== undefined;
  // The table of the buckets takes 4 MB.
  const limits = isLimited ? createRateLimits(options) : undefined;
  return {
    /** Whether requests are limited: only then the address of a client is needed. */
    isEnabled: isLimited,
    /** Counts a request and returns the key of its client in the limits; undefined where the server has no limits. Throws RATE_LIMITED. */
    check(caller: Caller | undefined, clientAddress: string | undefined): string | undefined {
      if (!limits) return undefined;
      const key = caller?.app === undefined ? `address:${clientAddress}` : `app:${caller.app}`;
      limits.check(key);
      return key;
    },
    /** Charges the actual cost of each operation. */
    observer: {
      end({ observed: { origin, operation } }: OperationRecord): void {
        const key = origin?.rateLimitKey;
        if (key !== undefined && operation?.budget) limits?.charge(key, operation.budget.spent);
      },
    },
  };
}
