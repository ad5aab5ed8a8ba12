import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { WINDOW_BLOCKS } from '../chain/canonical-chain.ts';

/** The number of blocks in `ChainHistory`: canonical and abandoned. */
const MAX_CACHED_BLOCKS = 2 * WINDOW_BLOCKS;

/** Approximate size of a log without its data: an object with nine strings of up to 66 characters. */
const LOG_OVERHEAD_BYTES = 800;

const bytesOf = (logs: readonly RpcLog[]): number =>
  logs.reduce((sum, { data }) => sum + LOG_OVERHEAD_BYTES + (data?.length ?? 0), 0);

/**
 * Caches logs by block hash, canonical or not, since the logs of a block never change. Evicts the blocks that were added first.
 */
export class LogCache {
  readonly #maxBytes: number;
  readonly #blocks = new Map<Data, readonly RpcLog[]>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(hash: Data): readonly RpcLog[] | undefined {
    return this.#blocks.get(hash);
  }

  set(hash: Data, logs: readonly RpcLog[]): void {
    this.#evict(hash);
    this.#blocks.set(hash, logs);
    this.#bytes += bytesOf(logs);
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#blocks.size <= MAX_CACHED_BLOCKS) return;
      this.#evict(oldest);
    }
  }

  #evict(hash: Data): void {
    this.#bytes -= bytesOf(this.#blocks.get(hash) ?? []);
    this.#blocks.delete(hash);
  }
}
