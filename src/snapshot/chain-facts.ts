import { isBlockHash } from '../ethereum/hex.ts';
import type { RpcBlock } from '../ethereum/rpc-types.ts';
import type { Operation } from '../operation/operation.ts';
import { type BlockPointer, serializeParams } from '../upstream/rpc/rpc-call.ts';
import type { FollowedChain } from './pinned-block.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { blockBy } from './state-methods.ts';

/** The facts of the chain that are known without a request. */
interface LifetimeSources {
  readonly follower: FollowedChain;
  readonly cache: RpcResultCache | undefined;
  readonly finalizedHeight: { readonly value: number };
  readonly headSchedule: { readonly secondsToNextHead: number };
}

/**
 * Returns the number of seconds for which HTTP caches may serve the response of an executed operation: Infinity if all
 * data is final; else the time until the next head is expected, or 0 if the chain has changed since the operation read
 * the head. Undefined if the response may differ while the head is unchanged, or if the head is unknown.
 */
export function responseLifetime(
  { follower, cache, finalizedHeight, headSchedule }: LifetimeSources,
  { dependencies, extensions, block: requestedBlock }: Operation,
): number | undefined {
  if (dependencies.isVolatile) return undefined;
  const block = extensions.block as BlockPointer | undefined;
  // A block that the request names is fixed.
  const head = requestedBlock === undefined ? block : undefined;
  const isHeadRead = dependencies.isHeadRead || (head !== undefined && dependencies.hasBlock(head.hash));
  const heightOf = (hash: string) => follower.headerOf(hash)?.height ?? heightOfBlock(cachedBlock(cache, hash));
  if (!isHeadRead && dependencies.maxHeight(heightOf) <= finalizedHeight.value) return Number.POSITIVE_INFINITY;
  if (!follower.head) return undefined;
  // If the chain has changed since the operation read the head, the time until the next head is too long.
  const isOutdated = head ? head.hash !== follower.head.hash : block !== undefined && isReplaced(block, follower);
  return isOutdated ? 0 : headSchedule.secondsToNextHead;
}

const isReplaced = ({ number, hash }: BlockPointer, follower: FollowedChain): boolean =>
  (follower.hashAt(number) ?? hash) !== hash;

const heightOfBlock = (block: { readonly number: string } | undefined): number | undefined => block && Number(block.number);

/** Returns a block by its hash if the cache has it, preferably with full transactions. */
export function cachedBlock(cache: RpcResultCache | undefined, hash: string): RpcBlock | undefined {
  const peek = (full: boolean) => cache?.peek(blockBy.name(hash) + serializeParams(blockBy.params(hash, full)));
  return (peek(true) ?? peek(false)) as RpcBlock | undefined;
}

/**
 * Returns the height of a block that an operation pins by its hash or height, or of the head; undefined if the follower
 * does not know the height.
 */
export function pinnedHeight(follower: FollowedChain, block: string | undefined): number | undefined {
  if (block === undefined) return follower.head?.height;
  return isBlockHash(block) ? follower.headerOf(block)?.height : Number(block);
}
