import { GraphError } from '../../../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../../../evm/hex.ts';
import type { BlockRef, RpcBlock } from '../../../evm/rpc.ts';
import type { Operation } from '../../../graphql/domain.ts';
import type { Follower } from '../../../live/follower.ts';
import { type Head, readHead } from '../../../live/head.ts';
import type { Calls } from '../../../upstream/calls.ts';
import type { ChainMemory } from '../memory.ts';
import { blockBy } from '../methods.ts';

/** The block that one operation is answered from, and the chain that ends in it. */
export interface Pin {
  /** The head, if it is known without asking. An operation that has seen it once stays with it. */
  readonly known: Head | undefined;
  /** Whether the head is being read now. */
  readonly isReading: boolean;
  /** The head: known, else read once. Rejects with BLOCK_NOT_AVAILABLE when the node has none, or not the one asked for from outside. */
  head(): Promise<Head>;
  /** Takes the node's most recent block, which is being read anyway, for the head, unless there is one already. */
  adopt(found: Promise<RpcBlock | null>): void;
  /**
   * The name under which to ask for a block of this chain: its hash where that is known, so that a reorg between two calls cannot mix
   * branches. Throws BLOCK_NOT_AVAILABLE when the chain has left this operation's head.
   */
  name(ref: BlockRef): BlockRef;
  /** The header of a block of this chain, known without asking. */
  header(hash: Data): Head | undefined;
  /** Whether a block is of the chain that ends in the head; undefined when that cannot be told without asking. */
  isCanonical(number: Quantity, hash: Data): boolean | undefined;
}

/** Pins an operation: to the block that the request names, else to the follower's head, else to the node's most recent block. */
export function openPin(
  operation: Operation,
  calls: Calls,
  follower: Follower | undefined,
  memory: ChainMemory | undefined,
): Pin {
  const wanted = operation.block;
  let pinned: Head | undefined;
  let reading: Promise<Head> | undefined;
  /** Whether the follower knew the head when it was pinned, and so can tell when the chain leaves it. */
  let isFollowed = false;

  const pinTo = (head: Head): Head => {
    pinned = head;
    isFollowed = follower?.headerOf(head.hash) !== undefined;
    const { number, hash, parentHash } = head;
    operation.extensions.block = { number, hash, parentHash };
    return head;
  };

  const followed = (): Head | undefined => {
    if (wanted === undefined) return follower?.head;
    const hash = isBlockHash(wanted) ? wanted : follower?.hashAt(wanted);
    return hash === undefined ? undefined : follower?.headerOf(hash);
  };

  const known = (): Head | undefined => {
    if (pinned || reading) return pinned;
    const head = followed();
    return head && pinTo(head);
  };

  const read = async (found: Promise<RpcBlock | null>): Promise<Head> => {
    const block = await found;
    const head = block ? readHead(block) : undefined;
    if (head) return pinTo(head);
    if (block) throw new GraphError('UPSTREAM_BAD_RESPONSE', "The node's most recent block has no hash or number.");
    const which = wanted === undefined ? 'a most recent block' : 'the block that x-graph-block names';
    throw new GraphError('BLOCK_NOT_AVAILABLE', `The node does not have ${which}.`);
  };

  const isLeft = (): boolean => isFollowed && follower?.head !== undefined && follower.headerOf(pinned!.hash) === undefined;

  return {
    get known() {
      return known();
    },
    get isReading() {
      return pinned === undefined && reading !== undefined;
    },
    async head() {
      const head = known();
      if (head) return head;
      reading ??= read(calls.call(blockBy, wanted ?? 'latest', false));
      return reading;
    },
    adopt(found) {
      if (known() || reading) return;
      reading = read(found);
      reading.catch(() => {});
    },
    name(ref) {
      const head = known();
      if (!ref.startsWith('0x') || isBlockHash(ref) || !head) return ref;
      if (ref === head.number) return head.hash;
      if (isLeft()) {
        throw new GraphError('BLOCK_NOT_AVAILABLE', 'The chain was reorganised while this was being answered; ask again.');
      }
      return (isFollowed ? (follower?.hashAt(ref) ?? memory?.hashAt(ref)) : undefined) ?? ref;
    },
    header: (hash) => (pinned?.hash === hash ? pinned : follower?.headerOf(hash)),
    isCanonical(number, hash) {
      const head = known();
      if (!head) return undefined;
      if (number === head.number) return hash.toLowerCase() === head.hash;
      const at = isFollowed && !isLeft() ? follower?.hashAt(number) : undefined;
      return at === undefined ? undefined : at === hash.toLowerCase();
    },
  };
}
