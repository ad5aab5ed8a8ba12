import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { RestClient } from '../../../upstream/rest/rest-client.ts';
import type { Settled } from '../../../upstream/rpc/rpc-call.ts';
import { InFlightRequests } from '../../../upstream/rpc/shared-results.ts';
import { countFieldConflicts } from './decoders.ts';
import type { ServiceReader } from './wizard-service.ts';

/** Maximum number of cached wizards and duels: enough for the lists of responses of 64 MiB. */
const MAX_CACHED_ENTRIES = 300_000;
/** Bounds the staleness of cached responses: the service may update after the head arrives. */
const CACHE_TTL_MS = 2_000;

/** Caches decoded responses of the service for all operations, for one head of the chain. */
export class RestResultCache {
  readonly #results = new LRUCache<string, { readonly value: unknown }>({
    maxSize: MAX_CACHED_ENTRIES,
    ttl: CACHE_TTL_MS,
    sizeCalculation: ({ value }) => (Array.isArray(value) ? value.length : 0) + 1,
  });
  #head: Data | undefined;
  /** GETs in flight of all operations, by head and path. */
  readonly inFlight = new InFlightRequests();

  /** The response cached under this head; undefined if there is none. */
  get(head: Data, path: string): { readonly value: unknown } | undefined {
    return head === this.#head ? this.#results.get(path) : undefined;
  }

  set(head: Data, path: string, value: unknown): void {
    if (head !== this.#head) this.#results.clear();
    this.#head = head;
    this.#results.set(path, { value });
  }
}

/** The wizard service's client and the cache that all operations share. */
export interface WizardServiceClient {
  readonly rest: RestClient;
  readonly cache: RestResultCache;
  /** Called with the number of fields of a response that have both a current and a legacy name with different values. */
  readonly onFieldConflicts?: ((count: number) => void) | undefined;
}

/** The operation that reads, and the follower that provides the head. */
export interface ServiceReaderOptions {
  readonly operation: Pick<Operation, 'signal' | 'dependencies' | 'budget'>;
  readonly follower?: { readonly head: { readonly hash: Data } | undefined } | undefined;
}

/**
 * Creates an operation's reader of the service. Responses are cached per head, and operations share reads in flight under the same head;
 * while the head is unknown every read sends a request.
 */
export function createServiceReader(
  { rest, cache, onFieldConflicts }: WizardServiceClient,
  { operation, follower }: ServiceReaderOptions,
): ServiceReader {
  const { signal, budget } = operation;
  let aborted: Promise<never> | undefined;

  const fetch = (path: string, decode: Decode): Promise<unknown> =>
    rest.get(
      path,
      signal,
      async (body) => {
        const count = await countFieldConflicts(body, budget);
        if (count > 0) onFieldConflicts?.(count);
        return decode(body);
      },
      budget,
    );

  /** Charges a GET before it is shared, so that other operations never get this operation's RESULT_TOO_LARGE. */
  const chargeRequest = (): void => {
    budget?.addCost(1);
    budget?.throwIfExhausted();
  };

  /** Sends a GET that other operations may join. Undefined if this operation is aborted before the response. */
  const startSharedRead = async (head: Data, path: string, decode: Decode): Promise<Settled<unknown> | undefined> => {
    cache.inFlight.add(head + path);
    const settled = await fetch(path, decode).then(
      (value) => ({ value }),
      (error: unknown) => (signal.aborted ? undefined : { error }),
    );
    if (settled && 'value' in settled && settled.value !== null && follower?.head?.hash === head) {
      cache.set(head, path, settled.value);
    }
    cache.inFlight.settle(head + path, settled);
    return settled;
  };

  const joinInFlight = (head: Data, path: string) =>
    new Promise<Settled<unknown> | undefined>((resolve) => {
      cache.inFlight.join(head + path, resolve);
    });

  const load = async (path: string, decode: Decode): Promise<unknown> => {
    // The service changes independently of the head, so the whole response must not be cached for a head.
    operation.dependencies.addVolatile();
    aborted ??= rejectOnAbort(signal);
    for (;;) {
      signal.throwIfAborted();
      const head = follower?.head?.hash;
      if (head === undefined) {
        chargeRequest();
        return Promise.race([fetch(path, decode), aborted]);
      }
      const cached = cache.get(head, path);
      if (cached) return cached.value;
      const isInFlight = cache.inFlight.has(head + path);
      if (!isInFlight) chargeRequest();
      const settled = await Promise.race([isInFlight ? joinInFlight(head, path) : startSharedRead(head, path, decode), aborted]);
      if (settled && 'error' in settled) throw settled.error;
      if (settled) return settled.value;
    }
  };

  const getCached = <T>(path: string): T | undefined => {
    const head = follower?.head?.hash;
    const cached = head === undefined ? undefined : cache.get(head, path);
    if (cached) operation.dependencies.addVolatile();
    return cached?.value as T | undefined;
  };

  const read = <T>(path: string, decode: (body: unknown) => T | Promise<T>) => load(path, decode) as Promise<T | null>;
  return Object.assign(read, { getCached, budget });
}

type Decode = (body: unknown) => unknown;

/** Rejects when the signal aborts. All reads of an operation share the promise, hence one listener on the signal. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}
