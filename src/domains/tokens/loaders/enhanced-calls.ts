import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { EnhancedMethods } from '../rpc-methods.ts';

/**
 * The enhanced methods of the node, if their results are valid at a block: only at the operation's head, and only if the request neither
 * pins a block nor requires a minimum. Undefined otherwise.
 */
export type EnhancedMethodsAt = (at: BlockRef) => Promise<EnhancedMethods | undefined>;

/** Errors about this request, for which a call of the contract itself may succeed. */
const REJECTED_REQUEST_CODES = ['UPSTREAM_ERROR', 'UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED'] as const;

/** Calls an enhanced method; undefined if the node lacks it or rejects the request. Rethrows other errors, such as timeouts. */
export async function callIfSupported<T>({ session }: Snapshot, name: string, call: () => Promise<T>): Promise<T | undefined> {
  if (session.capabilities.unsupportedMethods.has(name)) return undefined;
  try {
    return await call();
  } catch (error) {
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) session.capabilities.unsupportedMethods.add(name);
    else if (!REJECTED_REQUEST_CODES.some((code) => hasCode(error, code))) throw error;
    return undefined;
  }
}

/**
 * Calls an enhanced method, whose result is as of the node's latest block. Undefined if the operation's block is not the follower's head when
 * the response arrives, and as in `callIfSupported`.
 */
export async function callAtHead<T>(snapshot: Snapshot, name: string, call: () => Promise<T>): Promise<T | undefined> {
  const { pin, follower } = snapshot;
  const [result, head] = await Promise.all([callIfSupported(snapshot, name, call), pin.head()]);
  return follower.head?.hash === head.hash ? result : undefined;
}
