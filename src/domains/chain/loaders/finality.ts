import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { PinnedBlock } from '../../../snapshot/pinned-block.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { OperationCalls } from '../../../upstream/rpc/operation-calls.ts';

/** The blocks that are safe and final as of one head, as the node told them. */
export type FinalityTag = 'safe' | 'finalized';

/** What all operations know of finality. */
export interface FinalityMarkers {
  /** The height up to which everything is final; it never goes back. */
  finalizedHeight: number;
  /** The node's answers as of the head under which they were asked. */
  readonly byTag: Map<FinalityTag, { readonly head: Data; readonly block: Promise<RpcBlock | null> }>;
}

export const createFinalityMarkers = (): FinalityMarkers => ({ finalizedHeight: -1, byTag: new Map() });

/** What the head of an operation tells of its blocks: how deep they are, and whether they are final. */
export function finalityReader(calls: OperationCalls, pin: PinnedBlock, marks: FinalityMarkers) {
  /** The block of a mark; asked once a head. Null on a chain that has no such thing. */
  const marked = async (mark: FinalityTag): Promise<RpcBlock | null> => {
    const head = pin.knownHead?.hash;
    const known = marks.byTag.get(mark);
    if (known && head !== undefined && known.head === head) return known.block;
    const asked = calls.call(blockBy, mark, false).catch(nullIfTagUnsupported);
    if (head !== undefined) {
      marks.byTag.set(mark, { head, block: asked });
      // A failure is for those who waited, not for the next.
      asked.catch(() => marks.byTag.delete(mark));
    }
    const block = await asked;
    if (block && mark === 'finalized') marks.finalizedHeight = Math.max(marks.finalizedHeight, Number(block.number));
    return block;
  };

  const asked = new Map<Quantity, Promise<RpcBlock | null>>();
  /** The node's block of a height: asked after the head, where what was read before it may be of another branch by now. */
  const atHeight = (number: Quantity): Promise<RpcBlock | null> => {
    if (pin.canDetectReorgs) return calls.call(blockBy, number, false);
    const found = asked.get(number) ?? calls.refetch(blockBy, number, false);
    asked.set(number, found);
    return found;
  };

  /** Whether a block is of the chain that ends in the operation's head: told by the follower, else by the node. */
  const isCanonical = async (number: Quantity, hash: Data): Promise<boolean> => {
    const known = pin.isCanonical(number, hash);
    if (known !== undefined) return known;
    return sameData((await atHeight(number))?.hash, hash);
  };

  return {
    marked,

    /** How deep a block is: 1 for the head. Null for a block that is not of the chain, or is above the operation's head. */
    async confirmations(number: Quantity, hash: Data): Promise<Quantity | null> {
      const head = await pin.head();
      const depth = head.height - Number(number) + 1;
      if (depth < 1 || !(await isCanonical(number, hash))) return null;
      return `0x${depth.toString(16)}`;
    },

    /** Whether a block cannot be reorganised any more; null on a chain without finality. */
    async finalized(number: Quantity, hash: Data): Promise<boolean | null> {
      if (Number(number) <= marks.finalizedHeight) return isCanonical(number, hash);
      if (!pin.knownHead) await pin.head();
      const final = await marked('finalized');
      if (!final) return null;
      return Number(number) <= Number(final.number) && (await isCanonical(number, hash));
    },
  };
}

/** What a node of a chain without finality says: that there is no such block, or in one way or another that it does not know the tag. */
const TAG_UNSUPPORTED_CODES = ['BLOCK_NOT_AVAILABLE', 'METHOD_NOT_SUPPORTED', 'UPSTREAM_PROTOCOL_ERROR'] as const;

/** Null in place of such an error. */
export function nullIfTagUnsupported(error: unknown): null {
  if (TAG_UNSUPPORTED_CODES.some((code) => hasCode(error, code))) return null;
  throw error;
}
