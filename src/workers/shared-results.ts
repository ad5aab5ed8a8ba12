import { deserialize, serialize } from 'node:v8';
import type { ResultSharing, RpcResultCache } from '../snapshot/rpc-result-cache.ts';
import type { Settled } from '../upstream/rpc/rpc-call.ts';
import { InFlightRequests } from '../upstream/rpc/shared-results.ts';
import type { ChainChannel } from './channel.ts';
import type { ChainPrimaryHandlers, ChainWorkerHandlers, HashOfHeight, SharedResult } from './protocol.ts';

/** The calls in flight of this worker, and through the primary the calls of the other workers. */
class SharedInFlightRequests extends InFlightRequests {
  /** The calls that this worker sends, and whether other workers wait for their results. */
  readonly #own = new Map<string, { isWanted: boolean }>();
  readonly #primary: ChainChannel<ChainPrimaryHandlers>;
  cache: RpcResultCache | undefined;

  constructor(primary: ChainChannel<ChainPrimaryHandlers>) {
    super();
    this.#primary = primary;
  }

  override readonly claim = (keys: readonly string[], onReply: (elsewhere: ReadonlySet<string>) => void): void => {
    for (const key of keys) this.#own.set(key, { isWanted: false });
    this.#primary.call('claim', [keys], (elsewhere, error) => {
      const others = new Set(error ? [] : elsewhere);
      for (const key of others) this.#own.delete(key);
      onReply(others);
    });
  };

  override settle(key: string, settled: Settled<unknown> | undefined): void {
    const own = this.#own.get(key);
    this.#own.delete(key);
    if (own?.isWanted) this.#send(key, settled);
    if (own && this.cache?.peek(key) === undefined) this.#primary.send('released', key);
    super.settle(key, settled);
  }

  /** Whether this worker sends a call that no other worker has sent. */
  sends(key: string): boolean {
    return this.#own.has(key);
  }

  /** Sends the result of a call to the workers that wait for it, now or when it has settled. */
  want(key: string): void {
    const own = this.#own.get(key);
    if (own) own.isWanted = true;
    else this.#send(key, this.cache?.get(key));
  }

  /** Settles a call that another worker has sent. */
  receive([key, result]: SharedResult): void {
    super.settle(key, result ? { value: deserialize(Buffer.from(result, 'base64')) } : undefined);
  }

  #send(key: string, settled: Partial<Settled<unknown>> | undefined): void {
    const hasValue = settled !== undefined && 'value' in settled;
    this.#primary.send('result', key, hasValue ? serialize(settled.value).toString('base64') : undefined);
  }
}

/** Time for which learned keys and hashes are collected into one message. A message takes 25 microseconds. */
const LEARNED_DELAY_MS = 2;

/** Shares the results of a worker's cache of one chain with the other workers. */
export function createSharedResults(primary: ChainChannel<ChainPrimaryHandlers>) {
  const inFlight = new SharedInFlightRequests(primary);
  let keys: string[] = [];
  let hashes: HashOfHeight[] = [];
  const sendLearned = (): void => {
    primary.send('learned', keys, hashes);
    [keys, hashes] = [[], []];
  };
  const sendSoon = (): void => {
    if (keys.length + hashes.length === 1) setTimeout(sendLearned, LEARNED_DELAY_MS);
  };
  const sharing: ResultSharing = {
    inFlight,
    onCached(key) {
      // The primary knows that this worker has sent the call.
      if (inFlight.sends(key)) return;
      keys.push(key);
      sendSoon();
    },
    onHash(number, hash) {
      hashes.push([number, hash]);
      sendSoon();
    },
  };
  return {
    sharing,
    attach(cache: RpcResultCache | undefined): void {
      inFlight.cache = cache;
    },
    handlers: {
      want: (key) => inFlight.want(key),
      result: (...result) => inFlight.receive(result),
      recordHashes(others) {
        for (const [number, hash] of others) inFlight.cache?.recordHash(number, hash, true);
      },
    } satisfies Partial<ChainWorkerHandlers>,
  };
}
