import type { View } from '../../../view/index.ts';
import { hasCode } from '../../../view/node.ts';

/**
 * Asks by an enhanced method, whose answer is of the node's most recent block; and by another way when that is not the operation's block
 * any more by the time it comes, or the method is missing or refused. Failures that pass are thrown.
 */
export async function asOfHead<T>(
  { pin, follower, session }: View,
  name: string,
  ask: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  if (pin.isNamed || session.facts.missing.has(name)) return otherwise();
  try {
    const [answer, head] = await Promise.all([ask(), pin.head()]);
    const now = follower?.head;
    return now === undefined || now.hash === head.hash ? answer : otherwise();
  } catch (error) {
    if (hasCode(error, 'METHOD_NOT_SUPPORTED')) session.facts.missing.add(name);
    else if (!REFUSED.some((code) => hasCode(error, code))) throw error;
    return otherwise();
  }
}

const REFUSED = ['UPSTREAM_ERROR', 'UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED'] as const;
