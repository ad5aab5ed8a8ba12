import type { Quantity } from '../ethereum/hex.ts';
import type { Cancellation } from '../lib/abort.ts';
import { type ErrorCode, GraphError } from '../lib/errors.ts';
import type { Operation } from '../operation/operation.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';
import { createOperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { NodeEndpoint, RpcSession } from '../upstream/rpc/session.ts';
import { latestBlockNumber } from './state-methods.ts';

/**
 * Capabilities of the operation's endpoint. Read the property after each call: until an endpoint has responded, the
 * session can move to another endpoint.
 */
export type WithNodeCapabilities = Pick<RpcSession, 'capabilities'>;

/**
 * Reads the height of the first endpoint that still serves the chain that the node served before; of another one if it
 * serves nothing else. Rejects with the reason when there is none.
 */
export async function probeNode(node: RpcNode, signal: Cancellation): Promise<Quantity> {
  const heightOf = (sender: Pick<NodeEndpoint, 'send'>) => createOperationCalls(sender, signal).call(latestBlockNumber);
  return heightOf(await node.verifyChain(signal)).catch(() => heightOf(node.createSession()));
}

/** Whether an error has one of the codes. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is GraphError =>
  error instanceof GraphError && codes.includes(error.code);

/** Returns a handler of rejections: it returns null for an error with one of the codes, and rethrows any other error. */
export const nullFor =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown): null => {
    if (hasCode(error, ...codes)) return null;
    throw error;
  };

/**
 * Calls `preferred`, then `fallback` if the node lacks the method `name` or rejects its parameters with one of the codes `rejections`. A
 * missing method is recorded in the node's capabilities; a rejection is not, because it may concern these parameters alone.
 */
export async function withFallback<T>(
  session: WithNodeCapabilities,
  name: string,
  preferred: () => Promise<T>,
  fallback: () => Promise<T>,
  rejections: readonly ErrorCode[] = ['UPSTREAM_PROTOCOL_ERROR'],
): Promise<T> {
  if (session.capabilities.unsupportedMethods.has(name)) return fallback();
  try {
    return await preferred();
  } catch (error) {
    // Read again: an endpoint may have responded that the session did not prefer before.
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) session.capabilities.unsupportedMethods.set(name, true);
    else if (!hasCode(error, ...rejections)) throw error;
    return fallback();
  }
}

/**
 * Sends a call that has no fallback. Rejects with METHOD_NOT_SUPPORTED on a node without the method, and sends no call
 * once the method is known to be missing. `name` is the method, or the method and a variant of it.
 */
export async function requireMethod<T>(session: WithNodeCapabilities, name: string, send: () => Promise<T>): Promise<T> {
  if (session.capabilities.unsupportedMethods.has(name)) {
    throw new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support this method.', {
      source: 'node',
      method: name.split(' ')[0],
    });
  }
  return send().catch((error: unknown) => {
    // Read again: an endpoint may have responded that the session did not prefer before.
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) session.capabilities.unsupportedMethods.set(name, true);
    throw error;
  });
}

/**
 * Variant of `withFallback` that resolves with null. The response of the operation is then not cached, because another
 * endpoint may have the method, and no call would detect it.
 */
export const nullIfUnsupported = <T>(
  { session, operation }: { readonly session: WithNodeCapabilities; readonly operation: Pick<Operation, 'dependencies'> },
  name: string,
  preferred: () => Promise<T>,
): Promise<T | null> =>
  withFallback<T | null>(session, name, preferred, async () => {
    operation.dependencies.addVolatile();
    return null;
  });
