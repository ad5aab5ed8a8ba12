import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import {
  type ContractRead,
  decodeAggregate3,
  encodeAggregate3,
  MAX_READS_PER_MULTICALL,
  MULTICALL3_ADDRESS,
} from '../multicall.ts';
import { ethCall } from '../rpc-methods.ts';
import { loadInGroups } from './load-in-groups.ts';

interface ContractReadAtBlock extends ContractRead {
  readonly at: BlockRef;
}

/** What a contract answers; null when its code fails. An account without code answers no bytes. */
export type ContractReader = (read: ContractReadAtBlock) => Promise<Data | null>;

type ContractReadResult = Data | null | Error;

/** What is noted of a node on whose chain Multicall3 is not deployed. */
const MULTICALL3_FEATURE = 'multicall3';

/**
 * Reads contracts at a block, one or many: the reads of a tick at one block are one `eth_call` through Multicall3, where it is deployed,
 * and else a call each, in one request. What fails in there may have been left too little gas by the others, and is asked alone.
 */
export function contractReader({ stateReader, session, pin }: Snapshot): ContractReader {
  const direct = ({ to, input, at }: ContractReadAtBlock): Promise<Data | null> =>
    stateReader.read(ethCall, { address: to, at }, input).catch(nullIfReverted);

  const each = (asked: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> =>
    Promise.all(asked.map((one) => direct(one).catch((error: Error) => error)));

  const together = async (asked: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> => {
    const [{ at }] = asked as readonly [ContractReadAtBlock];
    // A contract that eats all the gas fails the whole, and then each is asked alone.
    const answer = await stateReader
      .read(ethCall, { address: MULTICALL3_ADDRESS, at }, encodeAggregate3(asked))
      .catch(nullIfReverted);
    const results = answer === null ? undefined : decodeAggregate3(answer, asked.length);
    if (answer === '0x' && at === 'latest' && !pin.isPinnedByRequest)
      session.capabilities.unsupportedMethods.add(MULTICALL3_FEATURE);
    if (!results) return each(asked);
    const failed = asked.filter((_one, i) => results[i] === null);
    const alone = await each(failed);
    return results.map((told) => (told === null ? alone.shift()! : told));
  };

  const atBlock = async (asked: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> => {
    if (asked.length === 1 || session.capabilities.unsupportedMethods.has(MULTICALL3_FEATURE)) return each(asked);
    const chunks: Promise<ContractReadResult[]>[] = [];
    for (let from = 0; from < asked.length; from += MAX_READS_PER_MULTICALL) {
      const chunk = asked.slice(from, from + MAX_READS_PER_MULTICALL);
      chunks.push(together(chunk).catch((error: Error) => chunk.map(() => error)));
    }
    return (await Promise.all(chunks)).flat();
  };

  const loader = new DataLoader<ContractReadAtBlock, Data | null, string>(
    (asked) => loadInGroups(asked, ({ at }) => at, atBlock),
    {
      cacheKeyFn: ({ to, input, at }) => `${at} ${to} ${input}`,
    },
  );
  return (read) => loader.load(read);
}

/** The code of a contract has failed; whatever else goes wrong is about the node. */
function nullIfReverted(error: unknown): null {
  if (hasCode(error, 'EXECUTION_REVERTED')) return null;
  throw error;
}
