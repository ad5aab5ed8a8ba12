import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { CanonicalCheck } from './canonical-check.ts';

/** Tags of the most recent safe and the most recent final block. */
export type FinalityTag = 'safe' | 'finalized';

/** Finality that all operations share. */
export interface FinalityMarkers {
  /** The highest height that is known to be final; it never decreases. */
  finalizedHeight: number;
  /** By tag: the node's block, and the head under which it was requested. */
  readonly byTag: Map<FinalityTag, { readonly head: Data; readonly block: Promise<RpcBlock | null> }>;
}

export const createFinalityMarkers = (): FinalityMarkers => ({ finalizedHeight: -1, byTag: new Map() });

export type FinalityReader = ReturnType<typeof finalityReader>;

/** Creates the loader of finality tags, and the reads of confirmations and finality relative to the operation's head. */
export function finalityReader({ calls, pin, operation }: Snapshot, markers: FinalityMarkers, checkCanonical: CanonicalCheck) {
  const readTag = async (tag: FinalityTag): Promise<RpcBlock | null> => {
    const head = pin.knownHead?.hash;
    const cached = markers.byTag.get(tag);
    if (cached && head !== undefined && cached.head === head) return cached.block;
    const request = calls.call(blockBy, tag, false).catch(nullIfTagUnsupported);
    if (head !== undefined) {
      markers.byTag.set(tag, { head, block: request });
      // The next operation requests the block again after a failure.
      request.catch(() => markers.byTag.delete(tag));
    }
    const block = await request;
    if (block && tag === 'finalized') markers.finalizedHeight = Math.max(markers.finalizedHeight, Number(block.number));
    return block;
  };
  const tags = createEntityLoader(readTag, (tag) => tag);

  /** Whether a block is an ancestor of the operation's head. A block that the node lacks is none. */
  const isCanonical = async (number: Quantity, hash: Data): Promise<boolean> => (await checkCanonical(number, hash)) ?? false;

  return {
    /** Loads the block of a tag, once per head. Null on a chain without finality. Source: `eth_getBlockByNumber`. */
    blockOfTag(tag: FinalityTag): Promise<RpcBlock | null> {
      operation.dependencies.addHead();
      return tags.load(tag);
    },

    /** Confirmations of a block: 1 for the head. Null for a block that is not canonical or is above the operation's head. */
    async confirmations(number: Quantity, hash: Data): Promise<Quantity | null> {
      pin.recordHeadRead();
      const head = await pin.head();
      const depth = head.height - Number(number) + 1;
      if (depth < 1 || !(await isCanonical(number, hash))) return null;
      return `0x${depth.toString(16)}`;
    },

    /** Whether a block is final; null on a chain without finality. */
    async finalized(number: Quantity, hash: Data): Promise<boolean | null> {
      if (Number(number) <= markers.finalizedHeight) return isCanonical(number, hash);
      if (!pin.knownHead) await pin.head();
      const final = await tags.load('finalized');
      const isFinal = final && Number(number) <= Number(final.number) && (await isCanonical(number, hash));
      // A final block stays final.
      if (!isFinal) operation.dependencies.addHead();
      return isFinal;
    },
  };
}

/** Codes under which the node of a chain without finality rejects the tag. */
const TAG_UNSUPPORTED_CODES = ['BLOCK_NOT_AVAILABLE', 'METHOD_NOT_SUPPORTED', 'UPSTREAM_PROTOCOL_ERROR'] as const;

/** Returns null for an error that rejects the tag; rethrows any other error. */
export function nullIfTagUnsupported(error: unknown): null {
  if (TAG_UNSUPPORTED_CODES.some((code) => hasCode(error, code))) return null;
  throw error;
}
