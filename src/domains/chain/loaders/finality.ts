import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { hasCode } from '../../../snapshot/node-probe.ts';
import type { Pin } from '../../../snapshot/pinned-block.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { Calls } from '../../../upstream/rpc/operation-calls.ts';

/** The blocks that are safe and final as of one head, as the node told them. */
export type Mark = 'safe' | 'finalized';

/** What all operations know of finality. */
export interface Marks {
  /** The height up to which everything is final; it never goes back. */
  finalized: number;
  /** The node's answers as of the head under which they were asked. */
  readonly at: Map<Mark, { readonly head: Data; readonly block: Promise<RpcBlock | null> }>;
}

export const openMarks = (): Marks => ({ finalized: -1, at: new Map() });

/** What the head of an operation tells of its blocks: how deep they are, and whether they are final. */
export function finalityReader(calls: Calls, pin: Pin, marks: Marks) {
  /** The block of a mark; asked once a head. Null on a chain that has no such thing. */
  const marked = async (mark: Mark): Promise<RpcBlock | null> => {
    const head = pin.known?.hash;
    const known = marks.at.get(mark);
    if (known && head !== undefined && known.head === head) return known.block;
    const asked = calls.call(blockBy, mark, false).catch(nullIfNoSuchTag);
    if (head !== undefined) {
      marks.at.set(mark, { head, block: asked });
      // A failure is for those who waited, not for the next.
      asked.catch(() => marks.at.delete(mark));
    }
    const block = await asked;
    if (block && mark === 'finalized') marks.finalized = Math.max(marks.finalized, Number(block.number));
    return block;
  };

  const asked = new Map<Quantity, Promise<RpcBlock | null>>();
  /** The node's block of a height: asked after the head, where what was read before it may be of another branch by now. */
  const atHeight = (number: Quantity): Promise<RpcBlock | null> => {
    if (pin.isSteady) return calls.call(blockBy, number, false);
    const found = asked.get(number) ?? calls.again(blockBy, number, false);
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
      if (Number(number) <= marks.finalized) return isCanonical(number, hash);
      if (!pin.known) await pin.head();
      const final = await marked('finalized');
      if (!final) return null;
      return Number(number) <= Number(final.number) && (await isCanonical(number, hash));
    },
  };
}

/** What a node of a chain without finality says: that there is no such block, or in one way or another that it does not know the tag. */
const NO_SUCH_TAG = ['BLOCK_NOT_AVAILABLE', 'METHOD_NOT_SUPPORTED', 'UPSTREAM_PROTOCOL_ERROR'] as const;

/** Null in place of such an error. */
export function nullIfNoSuchTag(error: unknown): null {
  if (NO_SUCH_TAG.some((code) => hasCode(error, code))) return null;
  throw error;
}
