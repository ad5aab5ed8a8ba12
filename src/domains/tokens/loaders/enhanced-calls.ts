import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { EnhancedMethods } from '../rpc-methods.ts';

/** The enhanced methods where they can tell of a block: the head, unless the request names it. Undefined elsewhere. */
export type EnhancedMethodsAt = (at: BlockRef) => Promise<EnhancedMethods | undefined>;

/** Refusals that are about the question. The contract itself may still answer it. */
const REJECTED_REQUEST_CODES = ['UPSTREAM_ERROR', 'UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED'] as const;

/** What an enhanced method answers; undefined when the node lacks it or refuses the question. Failures that pass are thrown. */
export async function callIfSupported<T>({ session }: Snapshot, name: string, ask: () => Promise<T>): Promise<T | undefined> {
  if (session.capabilities.unsupportedMethods.has(name)) return undefined;
  try {
    return await ask();
  } catch (error) {
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) session.capabilities.unsupportedMethods.add(name);
    else if (!REJECTED_REQUEST_CODES.some((code) => hasCode(error, code))) throw error;
    return undefined;
  }
}

/**
 * What an enhanced method answers, which is of the node's most recent block: undefined when that is not known to be the operation's block by the
 * time the answer is here, and as above.
 */
export async function callAtHead<T>(view: Snapshot, name: string, ask: () => Promise<T>): Promise<T | undefined> {
  const { pin, follower } = view;
  const [answer, head] = await Promise.all([callIfSupported(view, name, ask), pin.head()]);
  return follower?.head?.hash === head.hash ? answer : undefined;
}
