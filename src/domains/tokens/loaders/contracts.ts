import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { View } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-probe.ts';
import { aggregated, type ContractRead, MOST_IN_ONE, MULTICALL3, resultsIn } from '../multicall.ts';
import { ethCall } from '../rpc-methods.ts';
import { inGroups } from './groups.ts';

interface ReadAt extends ContractRead {
  readonly at: BlockRef;
}

/** What a contract answers; null when its code fails. An account without code answers no bytes. */
export type ContractReader = (read: ReadAt) => Promise<Data | null>;

type Told = Data | null | Error;

/** What is noted of a node on whose chain Multicall3 is not deployed. */
const NO_MULTICALL = 'multicall3';

/**
 * Reads contracts at a block, one or many: the reads of a tick at one block are one `eth_call` through Multicall3, where it is deployed,
 * and else a call each, in one request. What fails in there may have been left too little gas by the others, and is asked alone.
 */
export function contractReader({ reads, session, pin }: View): ContractReader {
  const direct = ({ to, input, at }: ReadAt): Promise<Data | null> =>
    reads.state(ethCall, { address: to, at }, input).catch(nullIfFailed);

  const each = (asked: readonly ReadAt[]): Promise<Told[]> =>
    Promise.all(asked.map((one) => direct(one).catch((error: Error) => error)));

  const together = async (asked: readonly ReadAt[]): Promise<Told[]> => {
    const [{ at }] = asked as readonly [ReadAt];
    // A contract that eats all the gas fails the whole, and then each is asked alone.
    const answer = await reads.state(ethCall, { address: MULTICALL3, at }, aggregated(asked)).catch(nullIfFailed);
    const results = answer === null ? undefined : resultsIn(answer, asked.length);
    if (answer === '0x' && at === 'latest' && !pin.isNamed) session.facts.missing.add(NO_MULTICALL);
    if (!results) return each(asked);
    const failed = asked.filter((_one, i) => results[i] === null);
    const alone = await each(failed);
    return results.map((told) => (told === null ? alone.shift()! : told));
  };

  const atBlock = async (asked: readonly ReadAt[]): Promise<Told[]> => {
    if (asked.length === 1 || session.facts.missing.has(NO_MULTICALL)) return each(asked);
    const chunks: Promise<Told[]>[] = [];
    for (let from = 0; from < asked.length; from += MOST_IN_ONE) {
      const chunk = asked.slice(from, from + MOST_IN_ONE);
      chunks.push(together(chunk).catch((error: Error) => chunk.map(() => error)));
    }
    return (await Promise.all(chunks)).flat();
  };

  const loader = new DataLoader<ReadAt, Data | null, string>((asked) => inGroups(asked, ({ at }) => at, atBlock), {
    cacheKeyFn: ({ to, input, at }) => `${at} ${to} ${input}`,
  });
  return (read) => loader.load(read);
}

/** The code of a contract has failed; whatever else goes wrong is about the node. */
function nullIfFailed(error: unknown): null {
  if (hasCode(error, 'EXECUTION_REVERTED')) return null;
  throw error;
}
