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
  const readSeparately = (reads: readonly ContractRead[], at: BlockRef): Promise<ContractReadResult[]> =>
    Promise.all(
      reads.map(({ to, input }) =>
        stateReader
          .read(ethCall, { address: to, at }, input)
          .catch(nullIfReverted)
          .catch((error: Error) => error),
      ),
    );

  const readWithMulticall = async (reads: readonly ContractRead[], at: BlockRef): Promise<ContractReadResult[]> => {
    // Reverts if one contract uses all the gas; then each is read separately.
    const data = await stateReader
      .read(ethCall, { address: MULTICALL3_ADDRESS, at }, encodeAggregate3(reads))
      .catch(nullIfReverted);
    const results = data === null ? undefined : decodeAggregate3(data, reads.length);
    if (data === '0x' && at === 'latest' && !pin.isPinnedByRequest)
      session.capabilities.unsupportedMethods.add(MULTICALL3_FEATURE);
    if (!results) return readSeparately(reads, at);
    const failed = reads.filter((_read, i) => results[i] === null);
    const retried = await readSeparately(failed, at);
    return results.map((result) => (result === null ? retried.shift()! : result));
  };

  /** By block. A batch that fails, fails only its reads. */
  const loaders = new Map<BlockRef, DataLoader<ContractRead, Data | null, string>>();
  const createLoader = (at: BlockRef) =>
    new DataLoader<ContractRead, Data | null, string>(
      (reads) =>
        reads.length === 1 || session.capabilities.unsupportedMethods.has(MULTICALL3_FEATURE)
          ? readSeparately(reads, at)
          : readWithMulticall(reads, at),
      { maxBatchSize: MAX_READS_PER_MULTICALL, cacheKeyFn: ({ to, input }) => `${to} ${input}` },
    );
  return ({ at, ...read }) => {
    const loader = loaders.get(at) ?? createLoader(at);
    loaders.set(at, loader);
    return loader.load(read);
  };
}

/** Returns null for EXECUTION_REVERTED, an error of the contract; rethrows any other error. */
function nullIfReverted(error: unknown): null {
  if (hasCode(error, 'EXECUTION_REVERTED')) return null;
  throw error;
}
