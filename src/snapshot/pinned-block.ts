import { type Data, isBlockHash, isHeight, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../ethereum/rpc-types.ts';
import { GraphError } from '../lib/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { belowMinBlockError } from '../operation/request-checks.ts';
import { type Head, readHead } from '../sync/chain/rpc-header.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { blockBy } from './state-methods.ts';

/**
 * The canonical chain that the follower knows. While the follower has no confirmed head, `head` and `oldest` are undefined, `settledBelow`
 * is 0, and the functions return undefined.
 */
export type FollowedChain = Pick<Follower, 'head' | 'oldest' | 'settledBelow' | 'hashAt' | 'headerOf'>;

/**
 * The block at which one operation reads, and the chain that ends in it: the block that the request names, else the
 * follower's head, else the node's most recent block. A class because V8 keeps a separate hidden class for each object
 * literal with getters. That hidden class retains the whole operation until the next major collection
 * (docs/decisions/0008).
 */
export class PinnedBlock {
  /** Whether the request names the block. */
  readonly isPinnedByRequest: boolean;
  /** The block of the head, if this operation has read the block. `transactions` may contain hashes only. */
  block: RpcBlock | undefined;
  readonly #operation: Operation;
  readonly #calls: OperationCalls;
  readonly #follower: FollowedChain;
  readonly #cache: RpcResultCache | undefined;
  #pinned: Head | undefined;
  #reading: Promise<Head> | undefined;
  /** Whether the follower knew the head when it was pinned, and so can report that a reorg has removed it. */
  #isFollowed = false;

  constructor(operation: Operation, calls: OperationCalls, follower: FollowedChain, cache: RpcResultCache | undefined) {
    this.isPinnedByRequest = operation.block !== undefined;
    this.#operation = operation;
    this.#calls = calls;
    this.#follower = follower;
    this.#cache = cache;
  }

  /** The head, if it is known without a request. The first head that an operation sees stays its head. */
  get knownHead(): Head | undefined {
    if (this.#pinned || this.#reading) return this.#pinned;
    const head = this.#followedHead();
    return head && this.#pinTo(head);
  }

  /** The head of the chain, if it is known without a request: that of the follower if the request names a block, which may have a child. */
  get chainHead(): Head | undefined {
    return this.isPinnedByRequest ? this.#follower.head : this.knownHead;
  }

  /** Whether a request for the head is in flight. */
  get isReading(): boolean {
    return this.#pinned === undefined && this.#reading !== undefined;
  }

  /** Whether the request names a block that is not read yet; until then heights cannot be resolved to hashes. */
  get isUnresolved(): boolean {
    return this.isPinnedByRequest && this.knownHead === undefined;
  }

  /**
   * Whether the follower tracks the head, so that it detects a removal. Also true for a head that counts as settled.
   */
  get canDetectReorgs(): boolean {
    const head = this.knownHead;
    return head !== undefined && (this.#isFollowed || head.height < this.#follower.settledBelow);
  }

  /**
   * Returns the head and reads it once if it is not known. Rejects with BLOCK_NOT_AVAILABLE when the node has no block,
   * or lacks the block that the request names, with BAD_USER_INPUT when that block is below the request's minimum, and
   * with UPSTREAM_BAD_RESPONSE when the block has no hash or number. Source: `eth_getBlockByNumber`,
   * `eth_getBlockByHash`.
   */
  async head(): Promise<Head> {
    const head = this.knownHead;
    if (head) return head;
    this.#reading ??= this.#read(this.#calls.call(blockBy, this.#operation.block ?? 'latest', false));
    return this.#reading;
  }

  /** Records that the response depends on which block is the head; does nothing if the request names the head. */
  recordHeadRead(): void {
    if (!this.isPinnedByRequest) this.#operation.dependencies.addHead();
  }

  /** Pins the block that `found` resolves with, unless a head is known or being read. */
  adoptHead(found: Promise<RpcBlock | null>): void {
    if (this.knownHead || this.#reading) return;
    this.#reading = this.#read(found);
    this.#reading.catch(() => {});
  }

  /**
   * Resolves a height to the hash of the canonical block if the hash is known, so that a reorg between two calls cannot
   * mix branches; returns any other reference unchanged. Throws BLOCK_NOT_AVAILABLE if a reorg has removed the head of
   * this operation, unless `ref` is the height of the head.
   */
  resolveRef(ref: BlockRef): BlockRef {
    // Only heights depend on the head of the operation.
    if (!isHeight(ref)) return ref;
    const known = this.#hashAt(ref);
    if (known !== undefined || !this.#isFollowed) return known ?? ref;
    // Another operation has read the hash in the cache from a node, maybe a false one.
    return (this.#operation.trust ? undefined : this.#cache?.hashAt(ref)) ?? ref;
  }

  /** The header of a canonical block; undefined if it is not known without a request. */
  header(hash: Data): Head | undefined {
    return this.#pinned?.hash === hash ? this.#pinned : this.#follower.headerOf(hash);
  }

  /** Throws BLOCK_NOT_AVAILABLE when a reorg has removed the head of this operation. */
  assertHeadCanonical(): void {
    if (!this.#pinned || !this.#isRemoved(this.#pinned)) return;
    const message = 'A reorg has removed the block that this operation reads. Send the operation again.';
    throw new GraphError('BLOCK_NOT_AVAILABLE', message);
  }

  /** Whether a height is at or below the head. Rejects as `head` does. */
  async isReached(number: Quantity): Promise<boolean> {
    const head = await this.head();
    return BigInt(number) <= BigInt(head.number);
  }

  /** Whether a height is above the next block, so that a retry is of no use. False while no head is known. */
  isBeyondNextBlock(ref: BlockRef): boolean {
    const head = this.#follower.head ?? this.#pinned;
    return head !== undefined && isHeight(ref) && BigInt(ref) > BigInt(head.height) + 1n;
  }

  /**
   * Whether a block is an ancestor of the head, or the head itself; undefined if a request is needed to find out.
   * Throws as `assertHeadCanonical` does, unless `number` is the height of the head.
   */
  isCanonical(number: Quantity, hash: Data): boolean | undefined {
    const canonicalHash = this.#hashAt(number);
    return canonicalHash === undefined ? undefined : canonicalHash === hash.toLowerCase();
  }

  /** The hash of the canonical block at a height, if this operation's chain is known to have it. Throws as `resolveRef` does. */
  #hashAt(number: Quantity): Data | undefined {
    const head = this.knownHead;
    if (!head) return undefined;
    if (number === head.number) return head.hash;
    this.assertHeadCanonical();
    return this.#isFollowed ? this.#follower.hashAt(number) : undefined;
  }

  #pinTo(head: Head): Head {
    this.#pinned = head;
    // The follower knew the head when the operation's wait ended. A reorg may have removed the head since.
    this.#isFollowed = head === this.#operation.head || this.#follower.headerOf(head.hash) !== undefined;
    // The request names a hash, but not the block that a node returns for a height or as its most recent one.
    if (!this.#isFollowed && !isBlockHash(this.#operation.block ?? '')) this.#operation.trust?.addUnproven('block');
    const { number, hash, parentHash } = head;
    this.#operation.extensions.block = { number, hash, parentHash };
    if (this.isPinnedByRequest) this.#operation.dependencies.addBlock(hash, head.height);
    return head;
  }

  #followedHead(): Head | undefined {
    const requested = this.#operation.block;
    if (requested === undefined) return this.#operation.head ?? this.#follower.head;
    const hash = isBlockHash(requested) ? requested : this.#follower.hashAt(requested);
    const head = hash === undefined ? undefined : this.#follower.headerOf(hash);
    // Treats a block below the minimum as unknown: `#read` then reads it and rejects with the error.
    return head && this.#isBelowMinBlock(head) ? undefined : head;
  }

  async #read(found: Promise<RpcBlock | null>): Promise<Head> {
    const block = await found;
    const head = block ? readHead(block) : undefined;
    if (head) {
      if (this.#isBelowMinBlock(head)) throw belowMinBlockError(this.#operation.minBlock!, head.number);
      this.block = block ?? undefined;
      return this.#pinTo(head);
    }
    if (block) throw new GraphError('UPSTREAM_BAD_RESPONSE', "The node's most recent block has no hash or number.");
    const missing = this.isPinnedByRequest ? 'the block that x-graph-block names' : 'a most recent block';
    const isUnreachable = this.#operation.block !== undefined && this.isBeyondNextBlock(this.#operation.block);
    throw new GraphError('BLOCK_NOT_AVAILABLE', `The node does not have ${missing}.`, isUnreachable ? { retryable: false } : {});
  }

  #isBelowMinBlock({ height }: Head): boolean {
    const { minBlock } = this.#operation;
    return minBlock !== undefined && height < minBlock;
  }

  #isRemoved({ hash, number }: Head): boolean {
    const follower = this.#follower;
    if (!follower.head) return false;
    if (this.#isFollowed) return follower.headerOf(hash) === undefined;
    const canonicalHash = follower.hashAt(number);
    return canonicalHash !== undefined && canonicalHash !== hash;
  }
}
