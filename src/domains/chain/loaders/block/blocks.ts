import DataLoader from 'dataloader';
import { listOrNull } from '../../../../ethereum/decoders.ts';
import { type Data, isBlockHash, type Quantity, sameData } from '../../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../../graphql/entity-loader.ts';
import { nullIfBlockMissing } from '../../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../../snapshot/index.ts';
import { withFallback } from '../../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../../snapshot/state-methods.ts';
import type { RpcMethod } from '../../../../upstream/rpc/rpc-method.ts';
import { type ChainBlock, partialBlock } from '../../model.ts';
import type { CountsPlan } from '../../plan.ts';
import { ommerAt, ommerCountBy, transactionCountBy } from '../../rpc-methods.ts';

interface BlockRead {
  readonly ref: BlockRef;
  readonly full: boolean;
}

interface CountsRead {
  readonly requestedRef: BlockRef;
  readonly plan: CountsPlan;
}

interface OmmerRead {
  readonly block: RpcBlock;
  readonly index: Quantity;
}

/** The capability key of the four methods that count transactions and ommers. */
const COUNT_METHODS = 'eth_getBlockTransactionCount, eth_getUncleCount';

export type BlockLoader = ReturnType<typeof blockLoader>;

/** Creates the loaders of blocks, keyed by block, and of counts and ommers within a block. */
export function blockLoader({ calls, session, pin, availability, cache }: Snapshot) {
  /** Reads a block, or counts of it; null when the node does not know a block that is not known to be canonical. */
  const find = async <P extends readonly unknown[], R>(ref: BlockRef, method: RpcMethod<P, R>, ...args: P): Promise<R | null> => {
    const found = await calls.call(method, ...args).catch(nullIfBlockMissing);
    if (found !== null || !isBlockHash(ref)) return found;
    if (!pin.header(ref)) {
      // A height may have been resolved to this hash before a reorg.
      pin.assertHeadCanonical();
      return null;
    }
    return availability.retryUntilAvailable(ref, () => calls.refetch(method, ...args));
  };

  /** Reads a block. A cached block with full transactions also serves a read without them. */
  const read = async (ref: BlockRef, full: boolean): Promise<RpcBlock | null> => {
    const cached = full ? undefined : calls.getCached(blockBy, ref, true);
    if (cached) return cached.value;
    if (!full && sameData(pin.block?.hash, ref)) return pin.block!;
    return find(ref, blockBy, ref, full);
  };

  /** Batches, so that reads of one block with and without full transactions in the same tick are one call. */
  const blocks = new DataLoader<BlockRead, RpcBlock | null, string>(
    async (reads) => {
      const full = new Set(reads.filter((blockRead) => blockRead.full).map(({ ref }) => ref));
      const results = await Promise.allSettled(reads.map(({ ref }) => read(ref, full.has(ref))));
      return results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
    },
    { cacheKeyFn: ({ ref, full }) => `${ref} ${full}` },
  );

  /** Loads a block; null when the node does not know it. Source: `eth_getBlockByNumber`, `eth_getBlockByHash`. */
  const load = async (requestedRef: BlockRef, full: boolean): Promise<RpcBlock | null> => {
    const ref = pin.resolveRef(requestedRef);
    const block = await blocks.load({ ref, full });
    if (block) {
      if (ref.startsWith('0x') && !isBlockHash(ref) && block.hash) {
        calls.cachePermanently(blockBy, block, block.hash.toLowerCase(), full);
        cache?.recordHash(ref, block.hash);
      }
      // A block that was read by hash may be on another branch, so it is not primed for its height.
      for (const key of isBlockHash(ref) ? [block.hash] : [block.hash, block.number]) {
        blocks.prime({ ref: key, full: false }, block);
        if (full) blocks.prime({ ref: key, full: true }, block);
      }
    }
    return block;
  };

  const counts = createEntityLoader(
    async ({ requestedRef, plan }: CountsRead): Promise<ChainBlock | null> => {
      if (pin.isUnresolved && !isBlockHash(requestedRef)) await pin.head();
      const ref = pin.resolveRef(requestedRef);
      return withFallback(
        session,
        COUNT_METHODS,
        async () => {
          const cached = calls.getCached(blockBy, ref, false) ?? calls.getCached(blockBy, ref, true);
          if (cached) return cached.value;
          const [transactionCount, ommerCount] = await Promise.all([
            plan.transactions ? find(ref, transactionCountBy, ref) : undefined,
            plan.ommers ? find(ref, ommerCountBy, ref) : undefined,
          ]);
          if (transactionCount === null || ommerCount === null) return null;
          const key = isBlockHash(requestedRef) ? { hash: requestedRef } : { number: requestedRef };
          return partialBlock({ ...key, transactionCount, ommerCount });
        },
        () => load(ref, false),
      );
    },
    ({ requestedRef, plan: { transactions, ommers } }) => `${requestedRef} ${transactions} ${ommers}`,
  );

  const ommers = createEntityLoader(
    async ({ block: { hash, uncles }, index }: OmmerRead): Promise<RpcBlock | null> => {
      const hashes = listOrNull<Data>(uncles);
      if (hashes && Number(index) >= hashes.length) return null;
      const ommer = await calls.call(ommerAt, hash, index, hashes?.[Number(index)]).catch(nullIfBlockMissing);
      return ommer && { ...ommer, transactions: null };
    },
    ({ block: { hash, number }, index }) => `${hash} ${number} ${index}`,
  );

  return {
    load,

    /** Releases a block that was loaded by its height, so that it can be freed. */
    release(block: RpcBlock): void {
      blocks.clearAll();
      for (const ref of [block.number, block.hash]) for (const full of [false, true]) calls.release(blockBy, ref, full);
    },

    /**
     * Loads counts of a block without the block; null when the node does not know the block. A node without these methods returns the block.
     * Source: `eth_getBlockTransactionCountBy…`, `eth_getUncleCountBy…`.
     */
    counts: (requestedRef: BlockRef, plan: CountsPlan): Promise<ChainBlock | null> => counts.load({ requestedRef, plan }),

    /**
     * Loads an ommer of a block, without the transactions that some nodes list for it. Null when the index is out of bounds.
     * Source: `eth_getUncleByBlockHashAndIndex`.
     */
    ommer: (block: RpcBlock, index: Quantity): Promise<RpcBlock | null> => ommers.load({ block, index }),
  };
}
