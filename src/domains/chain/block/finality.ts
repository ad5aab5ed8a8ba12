import { type Data, isBlockHash, type Quantity, quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullFor } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { BlockPosition } from './cursors.ts';

type HashRead = () => Promise<Data | undefined>;

/** Tags of the most recent safe and the most recent final block. */
export type FinalityTag = 'safe' | 'finalized';

/** Finality that all operations share. */
export interface FinalityMarkers {
  /** The highest height that is known to be final; it never decreases. */
  finalizedHeight: number;
  /** By tag: the node's block, and the head under which it was requested. */
  readonly byTag: Map<FinalityTag, { readonly head: Data; readonly block: Promise<RpcBlock | null> }>;
}

export type FinalityReader = ReturnType<typeof finalityReader>;

/** Creates one operation's check whether blocks are canonical, and its reads of confirmations and finality relative to its head. */
export function finalityReader({ calls, pin, operation }: Snapshot, markers: FinalityMarkers) {
  /** Refetches if reorgs cannot be detected: a block that was cached before the head was read may be on another branch. */
  const readAtHeight = (number: Quantity) => (pin.canDetectReorgs ? calls.call : calls.refetch)(blockBy, number, false);
  const blocksAtHeight = createEntityLoader(readAtHeight, String);
  const hashAt = async (number: Quantity): Promise<Data | undefined> => (await blocksAtHeight.load(number))?.hash;

  /**
   * Returns whether a block is the head of the operation or its ancestor; undefined if the node lacks a block at the
   * height. Returns the result of the follower, else compares the hash with the node's block at the height. `readHash`
   * returns the hash at the height without a request, if another read has found it.
   */
  const checkCanonical = async (number: Quantity, hash: Data, readHash: HashRead = () => hashAt(number)) => {
    const isKnown = pin.isCanonical(number, hash);
    if (isKnown !== undefined) return isKnown;
    const ref = pin.resolveRef(number);
    const found = isBlockHash(ref) ? ref : await readHash();
    return found === undefined ? undefined : sameData(found, hash);
  };

  /** Loads the block of a tag, once per head. */
  const readTag = (tag: FinalityTag): Promise<RpcBlock | null> => {
    const head = pin.chainHead?.hash;
    const cached = markers.byTag.get(tag);
    const read = () => calls.call(blockBy, tag, false).catch(nullIfTagUnsupported);
    // The operation that has sent the request may have ended.
    if (cached && head !== undefined && cached.head === head) return cached.block.catch(read);
    const request = read();
    if (head !== undefined) {
      markers.byTag.set(tag, { head, block: request });
      // The next operation requests the block again after a failure.
      request.catch(() => markers.byTag.delete(tag));
    }
    return request;
  };
  /** One block for each tag in the operation, independent of the heads of other operations. */
  const tags = createEntityLoader(readTag, (tag) => tag);

  return {
    checkCanonical,

    /**
     * Rejects with CURSOR_EXPIRED and this message unless the block of a cursor is canonical, and with BLOCK_NOT_AVAILABLE
     * if the node lacks the block, so that nothing shows whether a reorg has removed it. `readHash`: see `checkCanonical`.
     */
    async assertCanonicalCursor({ height, hash }: BlockPosition, expiredMessage: string, readHash?: HashRead): Promise<void> {
      const isCanonical = await checkCanonical(quantityOf(height), hash, readHash);
      if (isCanonical === undefined)
        throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks the block of the cursor. Send the operation again.');
      if (!isCanonical) throw new GraphError('CURSOR_EXPIRED', expiredMessage);
      operation.dependencies.addBlock(hash, height);
    },

    /** Loads the block of a tag, once per head. Null on a chain without finality. Source: `eth_getBlockByNumber`. */
    blockOfTag(tag: FinalityTag): Promise<RpcBlock | null> {
      operation.dependencies.addHead();
      operation.trust?.addUnproven('block');
      return tags.load(tag);
    },

    /** Confirmations of a block: 1 for the head. Null for a block that is not canonical or is above the operation's head. */
    async confirmations(number: Quantity, hash: Data): Promise<Quantity | null> {
      pin.recordHeadRead();
      const head = await pin.head();
      const depth = head.height - Number(number) + 1;
      return depth >= 1 && (await checkCanonical(number, hash)) ? `0x${depth.toString(16)}` : null;
    },

    /** Whether a block is final; null on a chain without finality. */
    async finalized(number: Quantity, hash: Data): Promise<boolean | null> {
      const isCanonical = async () => (await checkCanonical(number, hash)) ?? false;
      if (Number(number) <= markers.finalizedHeight) return isCanonical();
      if (!pin.knownHead) await pin.head();
      const final = await tags.load('finalized');
      if (final) markers.finalizedHeight = Math.max(markers.finalizedHeight, Number(final.number));
      const isFinal = final && Number(number) <= Number(final.number) && (await isCanonical());
      // A final block stays final.
      if (!isFinal) operation.dependencies.addHead();
      return isFinal;
    },
  };
}

/** Returns null for an error by which the node of a chain without finality rejects the tag; rethrows any other error. */
export const nullIfTagUnsupported = nullFor('BLOCK_NOT_AVAILABLE', 'METHOD_NOT_SUPPORTED', 'UPSTREAM_PROTOCOL_ERROR');
