import DataLoader from 'dataloader';
import type { Data } from '../../../evm/hex.ts';
import type { BlockRef } from '../../../evm/rpc.ts';
import type { View } from '../../../view/index.ts';
import { hasCode } from '../../../view/node.ts';
import { ethCall } from '../methods.ts';
import { aggregated, type ContractRead, MOST_IN_ONE, MULTICALL3, resultsIn } from '../multicall.ts';

interface ReadAt extends ContractRead {
  readonly at: BlockRef;
}

/** What a contract answers; null when its code fails. An account without code answers no bytes. */
export type ContractReader = (read: ReadAt) => Promise<Data | null>;

/** What is noted of a node on whose chain Multicall3 is not deployed. */
const NO_MULTICALL = 'multicall3';

/**
 * Reads contracts at a block, one or many: the reads of a tick at one block are one `eth_call` through Multicall3, where it is deployed,
 * and else a call each, in one request. What fails in there may have been left too little gas by the others, and is asked alone.
 */
export function contractReader({ reads, session, pin }: View): ContractReader {
  const direct = ({ to, input, at }: ReadAt): Promise<Data | null> =>
    reads.state(ethCall, { address: to, at }, input).catch(nullIfFailed);

  const each = (asked: readonly ReadAt[]): Promise<PromiseSettledResult<Data | null>[]> => Promise.allSettled(asked.map(direct));

  const together = async (asked: readonly ReadAt[], at: BlockRef): Promise<PromiseSettledResult<Data | null>[]> => {
    // A contract that eats all the gas fails the whole, and then each is asked alone.
    const answer = await reads.state(ethCall, { address: MULTICALL3, at }, aggregated(asked)).catch(nullIfFailed);
    const results = answer === null ? undefined : resultsIn(answer, asked.length);
    if (results) return Promise.allSettled(results.map((value, i) => (value === null ? direct(asked[i]!) : value)));
    if (answer === '0x' && at === 'latest' && !pin.isNamed) session.facts.missing.add(NO_MULTICALL);
    return each(asked);
  };

  const at = async (asked: readonly ReadAt[]): Promise<PromiseSettledResult<Data | null>[]> => {
    if (asked.length === 1 || session.facts.missing.has(NO_MULTICALL)) return each(asked);
    const chunks = [];
    for (let from = 0; from < asked.length; from += MOST_IN_ONE) {
      const chunk = asked.slice(from, from + MOST_IN_ONE);
      chunks.push(together(chunk, chunk[0]!.at).catch((reason) => chunk.map(() => ({ status: 'rejected' as const, reason }))));
    }
    return (await Promise.all(chunks)).flat();
  };

  const loader = new DataLoader<ReadAt, Data | null, string>(
    async (asked) => {
      const outcomes = new Map<ReadAt, PromiseSettledResult<Data | null>>();
      const read = async (group: readonly ReadAt[]) => {
        const found = await at(group);
        for (const [i, one] of group.entries()) outcomes.set(one, found[i]!);
      };
      await Promise.all([...groupBy(asked, (one) => one.at).values()].map(read));
      return asked.map((one) => settledAs(outcomes.get(one)!));
    },
    { cacheKeyFn: ({ to, input, at: block }) => `${block} ${to} ${input}` },
  );
  return (read) => loader.load(read);
}

/** The code of a contract has failed; whatever else goes wrong is about the node. */
function nullIfFailed(error: unknown): null {
  if (hasCode(error, 'EXECUTION_REVERTED')) return null;
  throw error;
}

const settledAs = <T>(outcome: PromiseSettledResult<T>): T | Error =>
  outcome.status === 'fulfilled' ? outcome.value : outcome.reason;

/** Items by what they have in common, in their order. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
