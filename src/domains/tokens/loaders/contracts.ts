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

/** Loads the keys of a DataLoader batch in groups, concurrently, and returns the values in the order of the keys. An error fails only its group. */
export async function loadInGroups<K, V>(
  keys: readonly K[],
  groupOf: (key: K) => string,
  load: (group: readonly K[]) => Promise<readonly (V | Error)[]>,
): Promise<(V | Error)[]> {
  const groups = new Map<string, K[]>();
  for (const key of keys) {
    const group = groups.get(groupOf(key));
    if (group) group.push(key);
    else groups.set(groupOf(key), [key]);
  }
  const values = new Map<K, V | Error>();
  const loadGroup = async (group: readonly K[]): Promise<void> => {
    const loaded = await load(group).catch((error: Error) => group.map(() => error));
    for (const [i, key] of group.entries()) values.set(key, loaded[i]!);
  };
  await Promise.all([...groups.values()].map(loadGroup));
  return keys.map((key) => values.get(key)!);
}

interface ContractReadAtBlock extends ContractRead {
  readonly at: BlockRef;
}

/** Calls a contract and returns its result: null if its code reverts, '0x' for an account without code. */
export type ContractReader = (read: ContractReadAtBlock) => Promise<Data | null>;

type ContractReadResult = Data | null | Error;

/** Marks endpoints on whose chain Multicall3 is not deployed. */
const MULTICALL3_FEATURE = 'multicall3';

/**
 * Loads contract reads by block, contract and call data. The reads of a tick at one block are one `eth_call` through Multicall3 if it is
 * deployed, else one call each in one request. A read that fails inside Multicall3 is repeated alone, because the others may have used its gas.
 */
export function contractReader({ stateReader, session, pin }: Snapshot): ContractReader {
  const readOne = ({ to, input, at }: ContractReadAtBlock): Promise<Data | null> =>
    stateReader.read(ethCall, { address: to, at }, input).catch(nullIfReverted);

  const readSeparately = (reads: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> =>
    Promise.all(reads.map((read) => readOne(read).catch((error: Error) => error)));

  const readWithMulticall = async (reads: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> => {
    const [{ at }] = reads as readonly [ContractReadAtBlock];
    // Reverts if one contract uses all the gas; then each is read separately.
    const data = await stateReader
      .read(ethCall, { address: MULTICALL3_ADDRESS, at }, encodeAggregate3(reads))
      .catch(nullIfReverted);
    const results = data === null ? undefined : decodeAggregate3(data, reads.length);
    if (data === '0x' && at === 'latest' && !pin.isPinnedByRequest)
      session.capabilities.unsupportedMethods.add(MULTICALL3_FEATURE);
    if (!results) return readSeparately(reads);
    const retried = await readSeparately(reads.filter((_read, i) => results[i] === null));
    return results.map((result) => (result === null ? retried.shift()! : result));
  };

  const readAtBlock = async (reads: readonly ContractReadAtBlock[]): Promise<ContractReadResult[]> => {
    if (reads.length === 1 || session.capabilities.unsupportedMethods.has(MULTICALL3_FEATURE)) return readSeparately(reads);
    const chunks: Promise<ContractReadResult[]>[] = [];
    for (let from = 0; from < reads.length; from += MAX_READS_PER_MULTICALL) {
      const chunk = reads.slice(from, from + MAX_READS_PER_MULTICALL);
      chunks.push(readWithMulticall(chunk).catch((error: Error) => chunk.map(() => error)));
    }
    return (await Promise.all(chunks)).flat();
  };

  const loader = new DataLoader<ContractReadAtBlock, Data | null, string>(
    (reads) => loadInGroups(reads, ({ at }) => at, readAtBlock),
    {
      cacheKeyFn: ({ to, input, at }) => `${at} ${to} ${input}`,
    },
  );
  return (read) => loader.load(read);
}

/** Returns null for EXECUTION_REVERTED, an error of the contract; rethrows any other error. */
function nullIfReverted(error: unknown): null {
  if (hasCode(error, 'EXECUTION_REVERTED')) return null;
  throw error;
}
