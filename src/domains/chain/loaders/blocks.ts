import DataLoader from 'dataloader';
import { GraphError } from '../../../errors.ts';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, isBlockHash, type Quantity, quantityOf, sameData, toBigInt } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcFeeHistory } from '../../../ethereum/rpc-types.ts';
import type { BlockAvailability } from '../../../snapshot/block-availability.ts';
import { hasCode, type WithNodeCapabilities, withFallback } from '../../../snapshot/node-capabilities.ts';
import type { PinnedBlock } from '../../../snapshot/pinned-block.ts';
import type { RpcResultCache } from '../../../snapshot/rpc-result-cache.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { OperationCalls } from '../../../upstream/rpc/operation-calls.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-method.ts';
import { type ChainBlock, partialBlock } from '../model.ts';
import type { CountsPlan } from '../plan.ts';
import { baseFees, ommerAt, ommerCountBy, transactionCountBy } from '../rpc-methods.ts';

interface BlockRead {
  readonly ref: BlockRef;
  readonly full: boolean;
}

/** Stands for the four methods that count what is in a block. */
const COUNT_METHODS = 'eth_getBlockTransactionCount, eth_getUncleCount';

/** Blocks of one operation. The same block asked with and without its transactions in one tick is one call. */
export function blockLoader(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  presence: BlockAvailability,
  memory: RpcResultCache | undefined,
) {
  /** What a node tells of a block; null when it does not know the block, unless that is known to be of the chain. */
  const find = async <P extends readonly unknown[], R>(ref: BlockRef, method: RpcMethod<P, R>, ...args: P): Promise<R | null> => {
    const found = await calls.call(method, ...args).catch(nullIfBlockUnknown);
    if (found !== null || !isBlockHash(ref)) return found;
    if (!pin.header(ref)) {
      // A hash that the chain had for a height when this began is missing because the chain has left it.
      pin.assertHeadCanonical();
      return null;
    }
    return presence.retryUntilAvailable(ref, () => calls.refetch(method, ...args));
  };

  /** A block by a name of the wire. What other operations have read whole answers for less as well. */
  const read = async (ref: BlockRef, full: boolean): Promise<RpcBlock | null> => {
    const known = full ? undefined : calls.getCached(blockBy, ref, true);
    if (known) return known.value;
    if (!full && sameData(pin.block?.hash, ref)) return pin.block!;
    return find(ref, blockBy, ref, full);
  };

  const blocks = new DataLoader<BlockRead, RpcBlock | null, string>(
    async (reads) => {
      const full = new Set(reads.filter((read) => read.full).map(({ ref }) => ref));
      const found = await Promise.allSettled(reads.map(({ ref }) => read(ref, full.has(ref))));
      return found.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
    },
    { cacheKeyFn: ({ ref, full }) => `${ref} ${full}` },
  );

  /** A block, or null when the node knows none by that name. Source: `eth_getBlockByNumber`, `eth_getBlockByHash`. */
  const load = async (given: BlockRef, full: boolean): Promise<RpcBlock | null> => {
    const ref = pin.resolveRef(given);
    const block = await blocks.load({ ref, full });
    if (block) {
      if (ref.startsWith('0x') && !isBlockHash(ref) && block.hash) {
        calls.cachePermanently(blockBy, block, block.hash.toLowerCase(), full);
        memory?.recordHash(ref, block.hash);
      }
      // A block found by hash may be an abandoned one, so its height stays open.
      for (const name of isBlockHash(ref) ? [block.hash] : [block.hash, block.number]) {
        blocks.prime({ ref: name, full: false }, block);
        if (full) blocks.prime({ ref: name, full: true }, block);
      }
    }
    return block;
  };

  return {
    load,

    /**
     * Counts of a block without the block; null when there is none. A node without these methods is asked for the block.
     * Source: `eth_getBlockTransactionCountBy…`, `eth_getUncleCountBy…`.
     */
    counts: async (given: BlockRef, { transactions, ommers }: CountsPlan): Promise<ChainBlock | null> => {
      if (pin.isUnresolved && !isBlockHash(given)) await pin.head();
      const ref = pin.resolveRef(given);
      return withFallback(
        session,
        COUNT_METHODS,
        async () => {
          const known = calls.getCached(blockBy, ref, false) ?? calls.getCached(blockBy, ref, true);
          if (known) return known.value;
          const [transactionCount, ommerCount] = await Promise.all([
            transactions ? find(ref, transactionCountBy, ref) : undefined,
            ommers ? find(ref, ommerCountBy, ref) : undefined,
          ]);
          if (transactionCount === null || ommerCount === null) return null;
          return partialBlock({ ...(isBlockHash(given) ? { hash: given } : { number: given }), transactionCount, ommerCount });
        },
        () => load(ref, false),
      );
    },

    /** An ommer of a block; it has no transactions, whatever the node puts there. Null when out of bounds. */
    async ommer({ hash, uncles }: RpcBlock, index: Quantity): Promise<RpcBlock | null> {
      const listed = listOrNull<Data>(uncles);
      if (listed && Number(index) >= listed.length) return null;
      const ommer = await calls.call(ommerAt, hash, index, listed?.[Number(index)]).catch(nullIfBlockUnknown);
      return ommer && { ...ommer, transactions: null };
    },

    /**
     * Base fee of the block that follows: that block's own, and for the most recent block what the node reckons, since the
     * rule differs from chain to chain. Null before London, for a block that is not on the canonical chain, and for the most recent block of a
     * node that does not tell it. Source: `eth_getBlockByNumber`, `eth_feeHistory`.
     */
    async nextBaseFee({ hash, number, baseFeePerGas }: RpcBlock): Promise<Quantity | null> {
      const isHead = sameData(pin.knownHead?.hash, hash);
      const child = isHead ? null : await load(quantityOf(toBigInt(number) + 1n), false);
      if (child) return sameData(child.parentHash, hash) ? (child.baseFeePerGas ?? null) : null;
      const fees = await withFallback<RpcFeeHistory | null>(
        session,
        baseFees.name,
        () => calls.call(baseFees, number),
        async () => null,
      );
      if (!fees) return null;
      const [own, next] = listOrNull<Quantity | null>(fees.baseFeePerGas) ?? [];
      if ((own ?? '0x0') !== (baseFeePerGas ?? '0x0')) {
        // Another block of this height: the chain has moved on to a branch that this block is not on, or the node lags behind it.
        if (!isHead) return null;
        throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node answered about another block of that height; ask again.');
      }
      return next === undefined || (next === '0x0' && !baseFeePerGas) ? null : next;
    },
  };
}

/** An unknown block is null; one that the node no longer keeps stays an error. */
export function nullIfBlockUnknown(error: unknown): null {
  if (hasCode(error, 'BLOCK_NOT_AVAILABLE') && error.extensions.retryable) return null;
  throw error;
}

/** The heights of an inclusive range; refused when there are more than the server allows. */
export function heightsInRange(from: bigint, to: bigint, most: number): Quantity[] {
  const count = to < from ? 0 : Number(to - from) + 1;
  if (count > most) {
    const message = `The range has ${count} blocks and the limit is ${most}; ask for it in parts.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit: most, actual: count });
  }
  return Array.from({ length: count }, (_, i) => quantityOf(from + BigInt(i)));
}
