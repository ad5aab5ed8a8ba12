import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { WINDOW } from '../chain/canonical-chain.ts';

/** As many blocks as are remembered: those of the chain and those that were removed. */
const MOST_BLOCKS = 2 * WINDOW;

/** About what a log takes beside its data: an object, and nine texts of up to 66 characters. */
const LOG_BYTES = 800;

const bytesOf = (logs: readonly RpcLog[]): number => logs.reduce((sum, { data }) => sum + LOG_BYTES + (data?.length ?? 0), 0);

/** The logs of the blocks that were read last. A block's logs never change; which blocks are of the chain, others know. */
export class LogMemory {
  readonly #most: number;
  readonly #blocks = new Map<Data, readonly RpcLog[]>();
  #bytes = 0;

  constructor(bytes: number) {
    this.#most = bytes;
  }

  get(hash: Data): readonly RpcLog[] | undefined {
    return this.#blocks.get(hash);
  }

  keep(hash: Data, logs: readonly RpcLog[]): void {
    this.#drop(hash);
    this.#blocks.set(hash, logs);
    this.#bytes += bytesOf(logs);
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#most && this.#blocks.size <= MOST_BLOCKS) return;
      this.#drop(oldest);
    }
  }

  #drop(hash: Data): void {
    this.#bytes -= bytesOf(this.#blocks.get(hash) ?? []);
    this.#blocks.delete(hash);
  }
}
