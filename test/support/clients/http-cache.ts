import { createRequire } from 'node:module';
import type HttpCachePolicy from 'http-cache-semantics';

const CachePolicy = createRequire(import.meta.url)('http-cache-semantics') as typeof HttpCachePolicy;

/** A response that the cache has served. */
export interface CachedResponse {
  readonly body: string;
  readonly cacheControl: string;
  /** `fresh`: served without a request; `confirmed`: the server responded 304; `server`: the server responded 200. */
  readonly source: 'fresh' | 'confirmed' | 'server';
}

interface CacheEntry {
  readonly policy: HttpCachePolicy;
  readonly body: string;
}

type CacheRequest = { readonly url: string; readonly headers: Record<string, string> };

/** A shared HTTP cache (RFC 9111) with one entry for each request, on a clock that the test moves. */
export class HttpCache {
  /** The time in milliseconds. */
  now = 0;
  readonly #entries = new Map<string, CacheEntry>();
  readonly #rewriteCacheControl: (value: string) => string;

  /** `rewriteCacheControl` changes the header of the server's responses, as a wrong server would. */
  constructor(rewriteCacheControl: (value: string) => string = (value) => value) {
    this.#rewriteCacheControl = rewriteCacheControl;
  }

  /** Sends a GET through the cache. */
  async get(url: string, headers: Record<string, string> = {}): Promise<CachedResponse> {
    const request = { url, headers };
    const key = JSON.stringify([url, headers]);
    const entry = this.#entries.get(key);
    if (entry?.policy.satisfiesWithoutRevalidation(request)) {
      return { body: entry.body, cacheControl: String(entry.policy.responseHeaders()['cache-control']), source: 'fresh' };
    }
    const sent = entry ? (entry.policy.revalidationHeaders(request) as Record<string, string>) : headers;
    const response = await fetch(url, { headers: sent });
    const body = response.status === 304 ? entry!.body : await response.text();
    const cacheControl = this.#rewriteCacheControl(response.headers.get('cache-control') ?? '');
    const received = {
      status: response.status === 304 ? 200 : response.status,
      headers: { ...Object.fromEntries(response.headers), 'cache-control': cacheControl },
    };
    const policy = this.#createPolicy(request, received);
    if (policy.storable()) this.#entries.set(key, { policy, body });
    else this.#entries.delete(key);
    return { body, cacheControl, source: response.status === 304 ? 'confirmed' : 'server' };
  }

  #createPolicy(request: CacheRequest, response: HttpCachePolicy.HttpResponse): HttpCachePolicy {
    const now = (): number => this.now;
    class SimulatedClockPolicy extends CachePolicy {
      now(): number {
        return now();
      }
    }
    return new SimulatedClockPolicy(request, response, { shared: true });
  }
}
