import { GraphError } from '../errors.ts';
import type { Quantity } from '../ethereum/hex.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';
import { createOperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { RpcSession } from '../upstream/rpc/session.ts';
import { latestBlockNumber } from './state-methods.ts';

/** What tells what the node can; it may change while an operation has not settled on an endpoint yet. */
export type WithNodeCapabilities = Pick<RpcSession, 'capabilities'>;

/** Whether the node answers at present, serves the chain it did, and how high that is. Rejects with the reason when not. */
export async function probeNode(node: RpcNode, signal: AbortSignal): Promise<Quantity> {
  const [height] = await Promise.all([
    createOperationCalls(node.createSession(), signal).call(latestBlockNumber),
    node.verifyChain(signal),
  ]);
  return height;
}

export const hasCode = (error: unknown, code: GraphError['code']): error is GraphError =>
  error instanceof GraphError && error.code === code;

/**
 * Calls a method that not every node has, and `otherwise` where it is missing, which is learned, or where the node refuses its parameters, which
 * may be for these alone.
 */
export async function withFallback<T>(
  { capabilities }: WithNodeCapabilities,
  name: string,
  preferred: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  if (capabilities.unsupportedMethods.has(name)) return otherwise();
  try {
    return await preferred();
  } catch (error) {
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) capabilities.unsupportedMethods.add(name);
    else if (!hasCode(error, 'UPSTREAM_PROTOCOL_ERROR')) throw error;
    return otherwise();
  }
}
