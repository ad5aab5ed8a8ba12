import { GraphError } from '../errors.ts';
import type { Quantity } from '../ethereum/hex.ts';
import type { Node, Session } from '../upstream/rpc/node.ts';
import { openCalls } from '../upstream/rpc/operation-calls.ts';
import { blockNumber } from './state-methods.ts';

/** What tells what the node can; it may change while an operation has not settled on an endpoint yet. */
export type WithFacts = Pick<Session, 'facts'>;

/** Whether the node answers at present, serves the chain it did, and how high that is. Rejects with the reason when not. */
export async function probe(node: Node, signal: AbortSignal): Promise<Quantity> {
  const [height] = await Promise.all([openCalls(node.open(), signal).call(blockNumber), node.verify(signal)]);
  return height;
}

export const hasCode = (error: unknown, code: GraphError['code']): error is GraphError =>
  error instanceof GraphError && error.code === code;

/**
 * Calls a method that not every node has, and `otherwise` where it is missing, which is learned, or where the node refuses its parameters, which
 * may be for these alone.
 */
export async function either<T>(
  { facts }: WithFacts,
  name: string,
  preferred: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  if (facts.missing.has(name)) return otherwise();
  try {
    return await preferred();
  } catch (error) {
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) facts.missing.add(name);
    else if (!hasCode(error, 'UPSTREAM_PROTOCOL_ERROR')) throw error;
    return otherwise();
  }
}
