import type { FollowedHead } from '../../../src/operation/head-wait.ts';
import type { CanonicalChain } from '../../../src/sync/chain/canonical-chain.ts';
import type { Head } from '../../../src/sync/head/follower.ts';
import { hashOf } from '../upstream/rpc-fixtures.ts';

/** A head of that height. */
export const headAt = (height: number, timestamp = 0): Head => {
  const [number, hash, parentHash] = [`0x${height.toString(16)}`, hashOf(height + 1), hashOf(height)];
  return { number, hash, parentHash, height, header: { number, hash, parentHash, timestamp: `0x${timestamp.toString(16)}` } };
};

/** A window of blocks with these timestamps in seconds. */
export const windowOf = (timestamps: readonly number[]): CanonicalChain =>
  timestamps.map((timestamp, height) => headAt(height, timestamp)) as unknown as CanonicalChain;

/** A head that a test sets, for servers without a chain. */
export class ManualHead implements FollowedHead {
  head: Head | undefined;
  /** Determines the block time. */
  window: CanonicalChain | undefined;
  readonly #listeners = new Set<() => void>();

  /** Number of operations that wait. */
  get waiting(): number {
    return this.#listeners.size;
  }

  onFreshHead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sets the head and emits it. */
  moveTo(height: number): void {
    this.head = headAt(height);
    for (const listener of [...this.#listeners]) listener();
  }
}
