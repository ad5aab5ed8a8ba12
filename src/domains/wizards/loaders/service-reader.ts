import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { Operation } from '../../../graphql/domain.ts';
import { InFlightRequests, type Settled } from '../../../upstream/in-flight-requests.ts';
import type { RestClient } from '../../../upstream/rest/rest-client.ts';
import type { ServiceReader } from '../service.ts';
import { countFieldConflicts } from '../service-decoders.ts';

/**
 * Maximum number of wizards and duels that are cached, enough for the lists of responses of 64 MiB, and for how long: a service that is behind
 * the chain must not be behind for a whole block.
 */
const MAX_CACHED_ENTRIES = 300_000;
const CACHE_TTL_MS = 2_000;

/** What the service has told under one head of the chain, kept for all operations until the head is another. */
export class RestResultCache {
  readonly #results = new LRUCache<string, { readonly value: unknown }>({
    maxSize: MAX_CACHED_ENTRIES,
    ttl: CACHE_TTL_MS,
    sizeCalculation: ({ value }) => (Array.isArray(value) ? value.length : 0) + 1,
  });
  #head: Data | undefined;
  /** GETs in flight of all operations, by head and path. */
  readonly inFlight = new InFlightRequests();

  /** What was told under this head. */
  get(head: Data, path: string): { readonly value: unknown } | undefined {
    return head === this.#head ? this.#results.get(path) : undefined;
  }

  set(head: Data, path: string, value: unknown): void {
    if (head !== this.#head) this.#results.clear();
    this.#head = head;
    this.#results.set(path, { value });
  }
}

/** The wizard service, with what all operations share of it. */
export interface WizardServiceClient {
  readonly rest: RestClient;
  readonly cache: RestResultCache;
  /** Called with the number of fields of a response that have two names with different values; the newer name counts. */
  readonly onFieldConflicts?: ((count: number) => void) | undefined;
}

/** Who asks: an operation, or what watches the tournament. */
export interface ServiceReaderOptions {
  readonly operation: Pick<Operation, 'signal' | 'isVolatile' | 'meter'>;
  /** Knows the head. */
  readonly follower?: { readonly head: { readonly hash: Data } | undefined } | undefined;
}

/**
 * One way to the service: equal reads once. What was told while the follower had this very head is told again, and what another operation is
 * asking under it is waited for together; nothing of that while the head is not known.
 */
export function createServiceReader(
  { rest, cache, onFieldConflicts }: WizardServiceClient,
  { operation, follower }: ServiceReaderOptions,
): ServiceReader {
  const { signal, meter } = operation;
  const asked = new Map<string, Promise<unknown>>();
  let over: Promise<never> | undefined;

  const fetch = (path: string, decode: Decode): Promise<unknown> =>
    rest.get(
      path,
      signal,
      async (body) => {
        const count = await countFieldConflicts(body);
        if (count > 0) onFieldConflicts?.(count);
        return decode(body);
      },
      meter,
    );

  /** Counts a GET before it is sent for others too, who must not get this operation's error. */
  const spend = (): void => {
    if (!meter) return;
    meter.spent += 1;
    if (meter.isExhausted) throw meter.error;
  };

  /** Sends a GET that other operations may join. Undefined when this operation ends before the response. */
  const fetchShared = async (head: Data, path: string, decode: Decode): Promise<Settled<unknown> | undefined> => {
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

  const ask = async (path: string, decode: Decode): Promise<unknown> => {
    // The service moves on by itself, so that a whole answer must not be kept for a head.
    operation.isVolatile = true;
    over ??= rejectOnAbort(signal);
    for (;;) {
      signal.throwIfAborted();
      const head = follower?.head?.hash;
      if (head === undefined) {
        spend();
        return Promise.race([fetch(path, decode), over]);
      }
      const known = cache.get(head, path);
      if (known) return known.value;
      const isInFlight = cache.inFlight.has(head + path);
      if (!isInFlight) spend();
      const settled = await Promise.race([isInFlight ? joinInFlight(head, path) : fetchShared(head, path, decode), over]);
      if (settled && 'error' in settled) throw settled.error;
      if (settled) return settled.value;
    }
  };

  const getCached = <T>(path: string): T | undefined => {
    const head = follower?.head?.hash;
    const found = head === undefined ? undefined : cache.get(head, path);
    if (found) operation.isVolatile = true;
    return found?.value as T | undefined;
  };

  const read = <T>(path: string, decode: (body: unknown) => T | Promise<T>) => {
    const told = asked.get(path) ?? ask(path, decode);
    asked.set(path, told);
    return told as Promise<T | null>;
  };
  return Object.assign(read, { getCached });
}

type Decode = (body: unknown) => unknown;

/** Rejects when the operation ends: one promise for all its reads, which may be many, and most of them wait for their turn. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const over = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  over.catch(() => {});
  return over;
}
