import { GraphError } from '../../../errors.ts';
import { isBlockHash } from '../../../evm/hex.ts';
import type { Calls, Method } from '../../../upstream/calls.ts';
import type { StateRef } from '../methods.ts';
import type { AccountAt } from '../model.ts';
import type { NodeFacts } from './node.ts';

/** Reads of one account's state at its block; by block hash where the node can, else by height. */
export function stateReader(calls: Calls, facts: NodeFacts) {
  return async <A extends readonly unknown[], R>(
    method: Method<[string, StateRef, ...A], R>,
    { address, at, height }: AccountAt,
    ...args: A
  ): Promise<R> => {
    const byHeight = () => calls.call(method, address, height ?? at, ...args);
    if (!isBlockHash(at) || !facts.stateByHash) return byHeight();
    try {
      return await calls.call(method, address, { blockHash: at }, ...args);
    } catch (error) {
      // Invalid parameters may mean that this node knows heights and tags only; that a height works here proves it.
      if (!(error instanceof GraphError) || error.extensions.rpcCode !== -32602 || height === undefined) throw error;
      const found = await byHeight();
      facts.stateByHash = false;
      return found;
    }
  };
}
