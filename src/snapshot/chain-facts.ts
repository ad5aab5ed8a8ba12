import { isBlockHash, quantityOf } from '../ethereum/hex.ts';
import type { RpcBlock } from '../ethereum/rpc-types.ts';
import type { ChainFacts } from '../graphql/pipeline/cost/field-cost.ts';
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
  const cachedBlock = (hash: string, full: boolean): RpcBlock | undefined => {
    const params = blockBy.params(hash, full);
    return cache?.peek(blockBy.name(hash) + serializeParams(params)) as RpcBlock | undefined;
  };
  return {
    head: heightOf(block, follower),
    transactionsAt(height) {
      const number = quantityOf(height);
      const hash = follower.hashAt(number) ?? cache?.hashAt(number);
      if (hash === undefined) return undefined;
      const transactions = (cachedBlock(hash, true) ?? cachedBlock(hash, false))?.transactions;
      return Array.isArray(transactions) ? transactions.length : undefined;
    },
    gasUsedAt(height) {
      const hash = follower.hashAt(quantityOf(height));
      const gasUsed = hash === undefined ? undefined : follower.headerOf(hash)?.header.gasUsed;
      return gasUsed === undefined ? undefined : Number(gasUsed);
    },
  };
}

function heightOf(block: string | undefined, follower: FollowedChain): number | undefined {
  if (block === undefined) return follower.head?.height;
  return isBlockHash(block) ? follower.headerOf(block)?.height : Number(block);
}
