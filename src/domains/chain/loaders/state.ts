import { isBlockHash } from '../../../evm/hex.ts';
import type { Calls, Method } from '../../../upstream/calls.ts';
import type { StateRef } from '../methods.ts';
import type { AccountAt } from '../model.ts';
import { hasCode, type NodeFacts } from './node.ts';

/** Reads of one account's state at its block; by block hash where the node can, else by height. */
export function stateReader(calls: Calls, facts: NodeFacts) {
  return async <A extends readonly unknown[], R>(
    method: Method<[string, StateRef, ...A], R>,
    { address, at, height }: AccountAt,
    ...args: A
  ): Promise<R> => {
    if (!isBlockHash(at)) return calls.call(method, address, at, ...args);
    if (facts.stateByHash) {
      try {
        return await calls.call(method, address, { blockHash: at }, ...args);
      } catch (error) {
        // Invalid parameters: this node knows heights and tags only.
        if (!hasCode(error, 'UPSTREAM_PROTOCOL_ERROR') || height === undefined) throw error;
        facts.stateByHash = false;
      }
    }
    return calls.call(method, address, height ?? at, ...args);
  };
}
