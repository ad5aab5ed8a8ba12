import { GraphError } from '../../../errors.ts';
import type { Quantity } from '../../../evm/hex.ts';
import { openCalls } from '../../../upstream/calls.ts';
import type { JsonRpc } from '../../../upstream/jsonrpc.ts';
import { networkReads, queryReads } from '../methods.ts';

/** What has been learnt about a node; it is kept for all operations. */
export interface NodeFacts {
  /** Methods that the node said it does not have, or the name of a family of them. */
  readonly missing: Set<string>;
  /** Whether it reads state at a block hash (EIP-1898); true until it refuses. */
  stateByHash: boolean;
  /** The chain that it serves, asked once. */
  chainId(signal: AbortSignal): Promise<Quantity>;
}

/** Starts knowing nothing about a node. */
export function nodeFacts(rpc: JsonRpc): NodeFacts {
  let chainId: Quantity | undefined;
  return {
    missing: new Set(),
    stateByHash: true,
    async chainId(signal) {
      chainId ??= await openCalls(rpc, signal).call(queryReads.chainID);
      return chainId;
    },
  };
}

/** Whether the node answers at present, and how high its chain is. Rejects with the reason when it does not. */
export const probe = (rpc: JsonRpc, signal: AbortSignal): Promise<Quantity> =>
  openCalls(rpc, signal).call(networkReads.blockNumber);

export const hasCode = (error: unknown, code: GraphError['code']): error is GraphError =>
  error instanceof GraphError && error.code === code;

/** Asks by a method that not every node has, and by another way where it is missing; the node is tried once only. */
export async function either<T>(
  facts: NodeFacts,
  name: string,
  preferred: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  if (facts.missing.has(name)) return otherwise();
  try {
    return await preferred();
  } catch (error) {
    if (!hasCode(error, 'METHOD_NOT_SUPPORTED')) throw error;
    facts.missing.add(name);
    return otherwise();
  }
}
