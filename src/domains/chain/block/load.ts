import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, isBlockHash, isHeight, type Quantity, quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { chainChangedError, nullIfBlockMissing } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-call.ts';
import { type ChainBlock, partialBlock } from '../model.ts';
import { verifyOmmers, verifyTransactions } from '../verification.ts';
import type { BlockKey } from './contents.ts';
import { ommerAt, ommerCountBy, transactionCountBy } from './methods.ts';
import type { CountsPlan } from './plan.ts';

const identity = (ref: BlockRef): string => ref;

/** The capability key of the four methods that count transactions and ommers. */
const COUNT_METHODS = 'eth_getBlockTransactionCount, eth_getUncleCount';

export type BlockLoader = ReturnType<typeof blockLoader>;

/** Creates the loaders of blocks, of the counts of a block, and of its ommers. */
export function blockLoader(snapshot: Snapshot) {
  const { calls, session, pin, availability, cache, operation } = snapshot;
  const { trust } = operation;
  /**
   * Reads a block, or its counts. Null when the node does not know the block and the follower does not know it as
   * canonical. Throws if the node lacks the block of an event.
   */
  const find = async <P extends readonly unknown[], R>(ref: BlockRef, method: RpcMethod<P, R>, ...args: P): Promise<R | null> => {
    const found = await calls.call(method, ...args).catch(nullIfBlockMissing);
    if (found !== null || !isBlockHash(ref)) return found;
    if (!pin.header(ref)) {
      // `ref` may be the hash to which a height was resolved before a reorg.
      pin.assertHeadCanonical();
      // The node announced the block of the event and now lacks it, so report a changed chain.
      if (operation.event && ref === operation.block) throw chainChangedError();
      return null;
    }
    return availability.retryUntilAvailable(ref, () => calls.refetch(method, ...args));
  };

  /** Blocks with full transactions that are loaded or being loaded. */
  const fullReads = new Map<string, Promise<RpcBlock | null>>();
  const findWhole = (ref: BlockRef) => find(ref, blockBy, ref, true);
  const findVerified =
    trust &&
    (async (ref: BlockRef) => {
      const block = await findWhole(ref);
      return block && verifyTransactions(snapshot, trust, block);
    });
  const fullBlocks = createEntityLoader(findVerified ?? findWhole, identity, fullReads);

  /**
   * Loads blocks without transactions. Uses the call with full transactions if it was made before, or earlier in this
   * tick.
   */
  const blocks = createEntityLoader(async (ref: BlockRef): Promise<RpcBlock | null> => {
    if (calls.isSent(blockBy, ref, true)) return fullBlocks.load(ref);
    const cached = calls.getCached(blockBy, ref, true);
    if (cached) return cached.value;
    return sameData(pin.block?.hash, ref) ? pin.block! : find(ref, blockBy, ref, false);
  }, identity);

  /**
   * Sends the call for a block with full transactions, whose result `load` then reads. Resolves when the call has
   * settled, or at once if a load of the block has started.
   */
  const prefetch = async (ref: BlockRef): Promise<void> => {
    if (!fullReads.has(ref)) await calls.prefetch(blockBy, ref, true);
  };

  /** Loads a block; null when the node does not know it. Source: `eth_getBlockByNumber`, `eth_getBlockByHash`. */
  const load = async (requestedRef: BlockRef, full: boolean): Promise<RpcBlock | null> => {
    const ref = pin.resolveRef(requestedRef);
    // Start the call synchronously, so that a read without transactions joins it even in this tick.
    if (full) void prefetch(ref);
    const block = await (full ? fullBlocks : blocks).load(ref);
    if (block) {
      if (isHeight(ref) && block.hash) {
        calls.cachePermanently(blockBy, block, block.hash.toLowerCase(), full);
        cache?.recordHash(ref, block.hash);
      }
      // A block that was read by hash may be on another branch, so it is not primed for its height.
      for (const key of isBlockHash(ref) ? [block.hash] : [block.hash, block.number]) {
        blocks.prime(key, block);
        if (full) fullBlocks.prime(key, block);
      }
    }
    return block;
  };

  const counts = createEntityLoader(
    async ({ requestedRef, plan }: { requestedRef: BlockRef; plan: CountsPlan }): Promise<ChainBlock | null> => {
      if (pin.isUnresolved && !isBlockHash(requestedRef)) await pin.head();
      const ref = pin.resolveRef(requestedRef);
      trust?.addUnproven('block', 'transactionList', 'ommerList');
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
    async ({ block: { hash, uncles }, index }: { block: RpcBlock; index: Quantity }): Promise<RpcBlock | null> => {
      const hashes = listOrNull<Data>(uncles);
      if (hashes && Number(index) >= hashes.length) return null;
      const ommer = await calls.call(ommerAt, hash, index, hashes?.[Number(index)]).catch(nullIfBlockMissing);
      return ommer && { ...ommer, transactions: null };
    },
    ({ block: { hash, number }, index }) => `${hash} ${number} ${index}`,
  );
  const ommer = (block: RpcBlock, index: Quantity): Promise<RpcBlock | null> => ommers.load({ block, index });
  /** Reads all ommers of the block, because its header commits to their list. */
  const verifiedOmmer =
    trust &&
    (async (block: RpcBlock, index: Quantity) => {
      const hashes = listOrNull(block.uncles);
      if (!hashes) return ommer(block, index);
      const all = Promise.all(hashes.map((_hash, i) => ommer(block, quantityOf(i))));
      return (await verifyOmmers(snapshot, trust, block, all))[Number(index)] ?? null;
    });

  return {
    load,
    prefetch,

    /** Releases a block that was loaded by its height, so that it can be freed. */
    release({ number, hash }: BlockKey): void {
      for (const ref of [number, hash]) {
        for (const loader of [blocks, fullBlocks]) loader.clear(ref);
        for (const full of [false, true]) calls.release(blockBy, ref, full);
      }
    },

    /**
     * Loads counts of a block without the block; null when the node does not know the block. If the node lacks the
     * count methods, loads the block instead. Source: `eth_getBlockTransactionCountBy…`, `eth_getUncleCountBy…`.
     */
    counts: (requestedRef: BlockRef, plan: CountsPlan): Promise<ChainBlock | null> => counts.load({ requestedRef, plan }),

    /**
     * Loads an ommer of a block, without the transactions that some nodes list for it. Null when the index is out of bounds.
     * Source: `eth_getUncleByBlockHashAndIndex`.
     */
    ommer: verifiedOmmer ?? ommer,
  };
}
