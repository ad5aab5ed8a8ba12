import type { AnvilRpc } from '../anvil/rpc.ts';

export interface TrackedHeader {
  /** 0x-hex. */
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
}

/** The blocks that were processed, so that each block of the chain is processed once, also after a reorg. */
export interface ChainTracker {
  /**
   * Reads the blocks after the last processed block that is still in the chain, ascending. The first read returns no
   * blocks.
   */
  readNewHeaders(): Promise<readonly TrackedHeader[]>;
  /** Marks a block as processed. */
  add(header: TrackedHeader): void;
}

/** Number of processed blocks whose hashes are stored: the pruned chain has this number of blocks. */
const MAX_TRACKED_BLOCKS = 512;

/** Creates a tracker that begins after the latest block of its first read. */
export function createChainTracker(rpc: AnvilRpc): ChainTracker {
  const hashes = new Map<number, string>();

  const add = ({ number, hash }: TrackedHeader) => {
    hashes.set(Number(number), hash);
    hashes.delete(Number(number) - MAX_TRACKED_BLOCKS);
  };
  const isProcessed = (number: number, hash: string) => hashes.get(number) === hash;

  return {
    async readNewHeaders() {
      const head = await rpc.call<TrackedHeader>('eth_getBlockByNumber', 'latest', false);
      if (hashes.size === 0) add(head);
      if (isProcessed(Number(head.number), head.hash)) return [];
      const newest = [head];
      const lowest = Math.min(...hashes.keys());
      for (;;) {
        const { number, parentHash } = newest.at(-1)!;
        const parentNumber = Number(number) - 1;
        // Blocks below the first processed block are older than this tracker.
        if (parentNumber < lowest || isProcessed(parentNumber, parentHash)) break;
        const parent = await rpc.call<TrackedHeader | null>('eth_getBlockByHash', parentHash, false);
        if (!parent) break;
        newest.push(parent);
      }
      return newest.reverse();
    },
    add,
  };
}
