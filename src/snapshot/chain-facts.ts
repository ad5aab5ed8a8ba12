import { isBlockHash, quantityOf } from '../ethereum/hex.ts';
import type { RpcBlock } from '../ethereum/rpc-types.ts';
import type { ChainFacts } from '../graphql/pipeline/cost/field-cost.ts';
import type { Follower } from '../sync/head/follower.ts';
import { serializeParams } from '../upstream/rpc/rpc-call.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { blockBy } from './state-methods.ts';

/**
 * What the follower and the cache know of the chain, to price an operation that is answered from `block`, or from the head. Nothing is
 * requested, and nothing is waited for.
 */
export function chainFacts(
  { follower, memory }: { readonly follower: Follower; readonly memory: RpcResultCache | undefined },
  block: string | undefined,
): ChainFacts {
  const cachedBlock = (hash: string, full: boolean): RpcBlock | undefined => {
    const params = blockBy.params(hash, full);
    return memory?.peek(blockBy.name(hash) + serializeParams(params)) as RpcBlock | undefined;
  };
  return {
    head: heightOf(block, follower),
    transactionsAt(height) {
      const number = quantityOf(height);
      const hash = follower.hashAt(number) ?? memory?.hashAt(number);
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

function heightOf(block: string | undefined, follower: Follower): number | undefined {
  if (block === undefined) return follower.head?.height;
  return isBlockHash(block) ? follower.headerOf(block)?.height : Number(block);
}
