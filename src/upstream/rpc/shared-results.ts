import type { BlockPointer, RpcMethod, Settled } from './rpc-call.ts';

/**
 * Called once with the result of a request. Undefined if the request failed, for example because the sender was
 * aborted: the waiter then sends an equal request itself.
 */
export type InFlightWaiter = (settled: Settled<unknown> | undefined) => void;

/**
 * The upstream requests in flight of all operations, by key: an operation joins an equal request instead of sending it
 * again. `join` takes a callback, because an operation may join hundreds of requests, and a promise for each request
 * would cost more than the lookup.
 */
export class InFlightRequests {
  readonly #waiters = new Map<string, InFlightWaiter[]>();
  /**
   * With several processes: passes the keys of these calls whose results other processes have or request to `onReply`. Their results
   * arrive through `settle`. Undefined with one process.
   */
  readonly claim?: (keys: readonly string[], onReply: (elsewhere: ReadonlySet<string>) => void) => void;

  has(key: string): boolean {
    return this.#waiters.has(key);
  }

  /** Registers a request before it is sent. */
  add(key: string): void {
    if (!this.#waiters.has(key)) this.#waiters.set(key, []);
  }

  /** Passes the result of a request in flight to `waiter`; returns false when no request has this key. */
  join(key: string, waiter: InFlightWaiter): boolean {
    const waiters = this.#waiters.get(key);
    waiters?.push(waiter);
    return waiters !== undefined;
  }

  /** Removes a request and passes its result to the waiters. */
  settle(key: string, settled: Settled<unknown> | undefined): void {
    const waiters = this.#waiters.get(key);
    if (!waiters) return;
    this.#waiters.delete(key);
    for (const waiter of waiters) waiter(settled);
    // V8 may have moved the list to the old generation, where it would retain every waiting operation until the next major collection.
    waiters.length = 0;
  }
}

/** A call whose result operations share. */
export interface SharedCall {
  /** Method and parameters, concatenated once for each call: V8 hashes the result of every concatenation. */
  readonly key: string;
  /** Whether the result may be cached. */
  readonly isCacheable: boolean;
  /** Whether the call is sent even if its result is known. */
  readonly isRefetch: boolean;
}

/** Passes the calls whose results other processes of this server have or request to `join`, and resolves with the others. */
export const claimCalls = <Call extends SharedCall>(
  inFlight: InFlightRequests,
  calls: readonly Call[],
  join: (call: Call) => void,
): Promise<readonly Call[]> =>
  new Promise((resolve) => {
    const shared = calls.filter(({ isCacheable, isRefetch }) => isCacheable && !isRefetch);
    if (shared.length === 0) return resolve(calls);
    // Joins within the reply, because the results may arrive in the same turn.
    const keys = shared.map(({ key }) => key);
    inFlight.claim!(keys, (elsewhere) => {
      const joined = new Set(shared.filter(({ key }) => elsewhere.has(key)));
      for (const call of joined) join(call);
      resolve(calls.filter((call) => !joined.has(call)));
    });
  });

/** Results of a node that all operations share. */
export interface SharedResultCache {
  /** Returns a valid result, with the block that limits its validity, if any. */
  get(key: string): { readonly value: unknown; readonly block?: BlockPointer | undefined } | undefined;
  /** Caches a result, permanently or while `block` is canonical. Returns whether it is cached. */
  set(key: string, value: unknown, block?: BlockPointer): boolean;
  /** Calls in flight of all operations, by method and parameters. */
  readonly inFlight: InFlightRequests;
}

/** Observes the results that an operation reads. Keys are methods with parameters. */
export interface ResultObserver {
  /**
   * `cached`: the entry of the shared cache, if the cache has the result; then the result is valid at the current head.
   */
  onResult(
    method: RpcMethod<readonly unknown[], unknown>,
    args: readonly unknown[],
    settled: Settled<unknown>,
    key: string,
    cached: { readonly block?: BlockPointer | undefined } | undefined,
  ): void;
  /** Called when the operation has found that the result of a call is valid permanently, or while `block` is canonical. */
  onConfirmed(key: string, block: BlockPointer | undefined): void;
}
