import { LRUCache } from 'lru-cache';
import type { ChainChannel } from './channel.ts';
import type { ChainWorkerHandlers, SharedResult } from './protocol.ts';

/** The channels of one chain to the running workers, by the id of the worker. */
type WorkerChannels = ReadonlyMap<number, Pick<ChainChannel<ChainWorkerHandlers>, 'send'>>;

/** Maximum number of characters of all keys. */
const MAX_KEY_CHARS = 16 * 1024 * 1024;

/**
 * Knows which worker has sent a call to the node of a chain or has its result, so that equal calls of several workers are sent
 * once. The results stay in the workers; they are passed on when another worker needs them.
 */
export class ResultDirectory {
  /** The worker of each call. An evicted call may be sent once more. */
  readonly #owners = new LRUCache<string, number>({ maxSize: MAX_KEY_CHARS, sizeCalculation: (_owner, key) => key.length });
  /** The workers that wait for the result of a call. */
  readonly #waiters = new Map<string, { readonly owner: number; readonly workers: Set<number> }>();
  readonly #workers: WorkerChannels;

  /** `workers`: the channels of the running workers. */
  constructor(workers: WorkerChannels) {
    this.#workers = workers;
  }

  /** Makes a worker the owner of the calls that have none, and returns the others, whose results the worker will receive. */
  claim(worker: number, keys: readonly string[]): readonly string[] {
    return keys.filter((key) => {
      const owner = this.#owners.get(key) ?? worker;
      if (owner === worker || !this.#workers.has(owner)) {
        this.#owners.set(key, worker);
        return false;
      }
      const waiting = this.#waiters.get(key) ?? { owner, workers: new Set() };
      if (waiting.workers.size === 0) this.#workers.get(owner)!.send('want', key);
      waiting.workers.add(worker);
      this.#waiters.set(key, waiting);
      return true;
    });
  }

  /** Records that a worker has cached the results of these calls. */
  addCached(worker: number, keys: readonly string[]): void {
    for (const key of keys) if (!this.#workers.has(this.#owners.get(key) ?? -1)) this.#owners.set(key, worker);
  }

  /** Records that a worker has no result of a call. */
  release(worker: number, key: string): void {
    if (this.#owners.get(key) === worker) this.#owners.delete(key);
  }

  /** Passes the result of a call to the workers that wait for it. Without a result, each claims the call again. */
  pass(worker: number, ...[key, result]: SharedResult): void {
    if (!result) this.release(worker, key);
    const waiting = this.#waiters.get(key);
    this.#waiters.delete(key);
    for (const waiter of waiting?.workers ?? []) this.#workers.get(waiter)?.send('result', key, result);
  }

  /** Call it after a worker has ended and is not among the running workers any more. */
  remove(worker: number): void {
    for (const [key, { owner, workers }] of [...this.#waiters]) {
      workers.delete(worker);
      if (owner === worker) this.pass(worker, key, undefined);
    }
  }
}
