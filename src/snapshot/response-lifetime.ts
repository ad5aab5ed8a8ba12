import type { Operation } from '../operation/operation.ts';
import type { BlockPointer } from '../upstream/rpc/rpc-call.ts';
import { cachedBlock } from './chain-facts.ts';
import type { FollowedChain } from './pinned-block.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';

/** What is known of the chain without a request. */
export interface LifetimeSources {
  readonly follower: FollowedChain;
  readonly cache: RpcResultCache | undefined;
  readonly finalizedHeight: { readonly value: number };
  readonly headSchedule: { readonly secondsToNextHead: number };
}

/**
 * Returns the number of seconds for which the response of an executed operation may be cached: Infinity if it consists of final data, the
 * time until the next head is expected if a head may change it, undefined if it may differ at the same head or the head is unknown.
 */
export function responseLifetime(
  { follower, cache, finalizedHeight, headSchedule }: LifetimeSources,
  { dependencies, extensions, block: requestedBlock }: Operation,
): number | undefined {
  if (dependencies.isVolatile) return undefined;
  const block = extensions.block as BlockPointer | undefined;
  // The request fixes a block that it names.
  const head = requestedBlock === undefined ? block : undefined;
  const isHeadRead = dependencies.isHeadRead || (head !== undefined && dependencies.hasBlock(head.hash));
  const heightOf = (hash: string) => follower.headerOf(hash)?.height ?? heightOfBlock(cachedBlock(cache, hash));
  if (!isHeadRead && dependencies.maxHeight(heightOf) <= finalizedHeight.value) return Number.POSITIVE_INFINITY;
  if (!follower.head) return undefined;
  // If the chain has changed since the operation read it, the time until the next head is too long.
  const isOutdated = head ? head.hash !== follower.head.hash : block !== undefined && isReplaced(block, follower);
  return isOutdated ? 0 : headSchedule.secondsToNextHead;
}

const isReplaced = ({ number, hash }: BlockPointer, follower: FollowedChain): boolean =>
  (follower.hashAt(number) ?? hash) !== hash;

const heightOfBlock = (block: { readonly number: string } | undefined): number | undefined => block && Number(block.number);
