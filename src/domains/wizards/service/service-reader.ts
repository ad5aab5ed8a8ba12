import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import { rejectOnAbort } from '../../../lib/abort.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { RestClient } from '../../../upstream/rest/rest-client.ts';
import type { Settled } from '../../../upstream/rpc/rpc-call.ts';

/** Maximum number of cached wizards and duels: enough for the lists of responses of 64 MiB. */
const MAX_CACHED_ENTRIES = 300_000;
/** Maximum age of cached responses: the service may update its data after the head has arrived. */
const CACHE_TTL_MS = 2_000;

/** The wizard service's client, and the decoded responses that all operations under one head share. */
export type WizardServiceClient = ReturnType<typeof createServiceClient>;

/** Keys of both maps are the hash of the head, then the path. A read in flight resolves to undefined if its operation was aborted. */
export const createServiceClient = (rest: RestClient) => ({
  rest,
  cache: new LRUCache<string, object>({
    maxSize: MAX_CACHED_ENTRIES,
    ttl: CACHE_TTL_MS,
    // Long lists of earlier heads are freed, too.
    ttlAutopurge: true,
    sizeCalculation: (value) => (Array.isArray(value) ? value.length : 0) + 1,
  }),
  inFlight: new Map<string, Promise<Settled<object | null> | undefined>>(),
});

/** The operation that reads, and the follower that provides the head. */
export interface ServiceReaderOptions {
  readonly operation: Pick<Operation, 'signal' | 'dependencies' | 'budget'>;
  readonly follower?: { readonly head: { readonly hash: Data } | undefined } | undefined;
}

/** Reads the wizard service for one operation. */
export type ServiceReader = ReturnType<typeof createServiceReader>;

/**
 * Creates an operation's reader of the service. Responses are cached per head, and operations with an equal head share
 * reads in flight. While the head is unknown, every read sends a request.
 */
export function createServiceReader(
  { rest, cache, inFlight }: WizardServiceClient,
  { operation, follower }: ServiceReaderOptions,
) {
  const { signal, budget } = operation;

  const send = (path: string, decode: Decode<object>) => rest.get(path, signal, decode, budget) as Promise<object | null>;

  const startSharedRead = (key: string, path: string, decode: Decode<object>): Promise<Settled<object | null> | undefined> => {
    const settled = send(path, decode)
      .then(
        (value) => {
          if (value !== null) cache.set(key, value);
          return { value };
        },
        (error: unknown) => (signal.aborted ? undefined : { error }),
      )
      .finally(() => inFlight.delete(key));
    inFlight.set(key, settled);
    return settled;
  };

  const load = async (path: string, decode: Decode<object>): Promise<object | null> => {
    // The data of the service changes independently of the head, so the response of the operation must not be cached
    // for a head.
    operation.dependencies.addVolatile();
    for (;;) {
      signal.throwIfAborted();
      const head = follower?.head?.hash;
      const key = `${head}${path}`;
      const cached = cache.get(key);
      if (cached) return cached;
      let shared = inFlight.get(key);
      if (!shared) {
        // Charge a GET before it is shared, so that other operations never get this operation's RESULT_TOO_LARGE.
        budget?.addCost(1);
        budget?.throwIfExhausted();
        if (head === undefined) return rejectOnAbort(send(path, decode), signal);
        shared = startSharedRead(key, path, decode);
      }
      const settled = await rejectOnAbort(shared, signal);
      if (settled && 'error' in settled) throw settled.error;
      if (settled) return settled.value;
    }
  };

  return Object.assign(
    /** Requests a path and decodes its response; null for 404. */
    <T extends object>(path: string, decode: Decode<T>) => load(path, decode) as Promise<T | null>,
    {
      /** The decoded response of a path if it is cached for the current head; undefined otherwise. */
      getCached(path: string): object | undefined {
        const cached = cache.get(`${follower?.head?.hash}${path}`);
        if (cached) operation.dependencies.addVolatile();
        return cached;
      },
      /** Counts and limits the time of scans; undefined counts nothing. */
      budget,
    },
  );
}

type Decode<T> = (body: unknown) => T | Promise<T>;
