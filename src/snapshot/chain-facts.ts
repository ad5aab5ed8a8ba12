import { isBlockHash, quantityOf } from '../ethereum/hex.ts';
import type { RpcBlock } from '../ethereum/rpc-types.ts';
import type { ChainFacts } from '../graphql/cost/field-cost.ts';
import { serializeParams } from '../upstream/rpc/rpc-call.ts';
import type { FollowedChain } from './pinned-block.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { blockBy } from './state-methods.ts';

/**
 * Returns the facts from which the cost of an operation at `block` is estimated; `block` is a hash, a height, or undefined for the head. Reads
 * the follower and the cache; sends no request.
 */
export function chainFacts(
  { follower, cache }: { readonly follower: FollowedChain; readonly cache: RpcResultCache | undefined },
  block: string | undefined,
): ChainFacts {
  return {
    head: heightOf(block, follower),
    transactionsAt(height) {
      const number = quantityOf(height);
      const hash = follower.hashAt(number) ?? cache?.hashAt(number);
      if (hash === undefined) return undefined;
      const transactions = cachedBlock(cache, hash)?.transactions;
      return Array.isArray(transactions) ? transactions.length : undefined;
    },
    gasUsedAt(height) {
      const hash = follower.hashAt(quantityOf(height));
      const gasUsed = hash === undefined ? undefined : follower.headerOf(hash)?.header.gasUsed;
      return gasUsed === undefined ? undefined : Number(gasUsed);
    },
  };
}

/** Returns a block by its hash if the cache has it, preferably with full transactions. */
export function cachedBlock(cache: RpcResultCache | undefined, hash: string): RpcBlock | undefined {
  const peek = (full: boolean) => cache?.peek(blockBy.name(hash) + serializeParams(blockBy.params(hash, full)));
  return (peek(true) ?? peek(false)) as RpcBlock | undefined;
}

function heightOf(block: string | undefined, follower: FollowedChain): number | undefined {
  if (block === undefined) return follower.head?.height;
  return isBlockHash(block) ? follower.headerOf(block)?.height : Number(block);
}
