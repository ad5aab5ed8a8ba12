import { GraphError } from '../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../ethereum/rpc-types.ts';
import type { Operation } from '../graphql/domain.ts';
import { type Head, readHead } from '../sync/chain/rpc-header.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { blockBy } from './state-methods.ts';

/** The block that one operation is answered from, and the chain that ends in it. */
export interface PinnedBlock {
  /** The head, if it is known without asking. An operation that has seen it once stays with it. */
  readonly knownHead: Head | undefined;
  /** Whether the head is being read now. */
  readonly isReading: boolean;
  /** Whether the request names the head. */
  readonly isPinnedByRequest: boolean;
  /** Whether it does, and that has not been read: nothing can be named by its height before. */
  readonly isUnresolved: boolean;
  /** The head: known, else read once. Rejects with BLOCK_NOT_AVAILABLE when the node has none, or not the one asked for from outside. */
  head(): Promise<Head>;
  /** Takes the node's most recent block, which is being read anyway, for the head, unless there is one already. */
  adoptHead(found: Promise<RpcBlock | null>): void;
  /**
   * The name under which to ask for a block of this chain: its hash where that is known, so that a reorg between two calls cannot mix
   * branches. Throws BLOCK_NOT_AVAILABLE when the chain has left this operation's head.
   */
  resolveRef(ref: BlockRef): BlockRef;
  /** Whether it would be noticed if the chain changed below the head, or that is too long ago to change. */
  readonly canDetectReorgs: boolean;
  /** The header of a block of this chain, known without asking. */
  header(hash: Data): Head | undefined;
  /** The head's whole block, where this operation has read it; its transactions perhaps by their hashes. */
  readonly block: RpcBlock | undefined;
  /** Throws BLOCK_NOT_AVAILABLE when the chain has left this operation's head. */
  assertHeadCanonical(): void;
  /** Whether a height lies above the block that comes next, so that asking again at once is of no use. False where the head is not known. */
  isBeyondNextBlock(ref: BlockRef): boolean;
  /** As `check`; else whether a block is of the chain that ends in the head, undefined when that cannot be told without asking. */
  isCanonical(number: Quantity, hash: Data): boolean | undefined;
}

/** Pins an operation: to the block that the request names, else to the follower's head, else to the node's most recent block. */
export const createPinnedBlock = (
  operation: Operation,
  calls: OperationCalls,
  follower: Follower | undefined,
  memory: RpcResultCache | undefined,
): PinnedBlock => new OperationPinnedBlock(operation, calls, follower, memory);

/**
 * A class for its getters: V8 gives every object that is written with getters a shape of its own, in old memory, and that shape
 * holds the whole operation until the next major collection (docs/decisions/0008).
 */
class OperationPinnedBlock implements PinnedBlock {
  readonly isPinnedByRequest: boolean;
  block: RpcBlock | undefined;
  readonly #operation: Operation;
  readonly #calls: OperationCalls;
  readonly #follower: Follower | undefined;
  readonly #cache: RpcResultCache | undefined;
  #pinned: Head | undefined;
  #reading: Promise<Head> | undefined;
  /** Whether the follower knew the head when it was pinned, and so can tell when the chain leaves it. */
  #isFollowed = false;

  constructor(operation: Operation, calls: OperationCalls, follower: Follower | undefined, memory: RpcResultCache | undefined) {
    this.isPinnedByRequest = operation.block !== undefined;
    this.#operation = operation;
    this.#calls = calls;
    this.#follower = follower;
    this.#cache = memory;
  }

  get knownHead(): Head | undefined {
    if (this.#pinned || this.#reading) return this.#pinned;
    const head = this.#followedHead();
    return head && this.#pinTo(head);
  }

  get isReading(): boolean {
    return this.#pinned === undefined && this.#reading !== undefined;
  }

  get isUnresolved(): boolean {
    return this.isPinnedByRequest && this.knownHead === undefined;
  }

  get canDetectReorgs(): boolean {
    const head = this.knownHead;
    const oldest = this.#follower?.oldest;
    return head !== undefined && (this.#isFollowed || (oldest !== undefined && head.height < oldest.height));
  }

  async head(): Promise<Head> {
    const head = this.knownHead;
    if (head) return head;
    this.#reading ??= this.#read(this.#calls.call(blockBy, this.#operation.block ?? 'latest', false));
    return this.#reading;
  }

  adoptHead(found: Promise<RpcBlock | null>): void {
    if (this.knownHead || this.#reading) return;
    this.#reading = this.#read(found);
    this.#reading.catch(() => {});
  }

  resolveRef(ref: BlockRef): BlockRef {
    // A hash and the first block are the same on every chain.
    const head = ref.startsWith('0x') && !isBlockHash(ref) ? this.knownHead : undefined;
    if (!head) return ref;
    if (ref === head.number) return head.hash;
    this.assertHeadCanonical();
    return (this.#isFollowed ? (this.#follower?.hashAt(ref) ?? this.#cache?.hashAt(ref)) : undefined) ?? ref;
  }

  header(hash: Data): Head | undefined {
    return this.#pinned?.hash === hash ? this.#pinned : this.#follower?.headerOf(hash);
  }

  assertHeadCanonical(): void {
    if (!this.#pinned || !this.#isRemoved(this.#pinned)) return;
    const message = 'The chain was reorganised, and this is not answered from it any more; ask again.';
    throw new GraphError('BLOCK_NOT_AVAILABLE', message);
  }

  isBeyondNextBlock(ref: BlockRef): boolean {
    const head = this.#follower?.head ?? this.#pinned;
    return head !== undefined && ref.startsWith('0x') && !isBlockHash(ref) && BigInt(ref) > BigInt(head.height) + 1n;
  }

  isCanonical(number: Quantity, hash: Data): boolean | undefined {
    const head = this.knownHead;
    if (!head) return undefined;
    if (number === head.number) return hash.toLowerCase() === head.hash;
    this.assertHeadCanonical();
    const at = this.#isFollowed ? this.#follower?.hashAt(number) : undefined;
    return at === undefined ? undefined : at === hash.toLowerCase();
  }

  #pinTo(head: Head): Head {
    this.#pinned = head;
    this.#isFollowed = this.#follower?.headerOf(head.hash) !== undefined;
    const { number, hash, parentHash } = head;
    this.#operation.extensions.block = { number, hash, parentHash };
    return head;
  }

  #followedHead(): Head | undefined {
    const wanted = this.#operation.block;
    if (wanted === undefined) return this.#follower?.head;
    const hash = isBlockHash(wanted) ? wanted : this.#follower?.hashAt(wanted);
    return hash === undefined ? undefined : this.#follower?.headerOf(hash);
  }

  async #read(found: Promise<RpcBlock | null>): Promise<Head> {
    const block = await found;
    const head = block ? readHead(block) : undefined;
    if (head) {
      this.block = block ?? undefined;
      return this.#pinTo(head);
    }
    if (block) throw new GraphError('UPSTREAM_BAD_RESPONSE', "The node's most recent block has no hash or number.");
    const which = this.isPinnedByRequest ? 'the block that x-graph-block names' : 'a most recent block';
    const isFar = this.#operation.block !== undefined && this.isBeyondNextBlock(this.#operation.block);
    throw new GraphError('BLOCK_NOT_AVAILABLE', `The node does not have ${which}.`, isFar ? { retryable: false } : {});
  }

  #isRemoved({ hash, number }: Head): boolean {
    const follower = this.#follower;
    if (!follower?.head) return false;
    if (this.#isFollowed) return follower.headerOf(hash) === undefined;
    const there = follower.hashAt(number);
    return there !== undefined && there !== hash;
  }
}
