import DataLoader from 'dataloader';
import { readArguments } from '../../../ethereum/abi/reader.ts';
import { parseFunction } from '../../../ethereum/abi/signature.ts';
import { encodeCall } from '../../../ethereum/abi/writer.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { readEach } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullFor } from '../../../snapshot/node-capabilities.ts';
import { ethCall } from '../rpc-methods.ts';

/** Address of Multicall3, equal on every chain (https://www.multicall3.com). */
const MULTICALL3_ADDRESS: Data = '0xca11bde05977b3631167028862be2a173976ca11';

/** Maximum number of reads per call: far below the gas limit that nodes set for `eth_call`. */
const MAX_READS_PER_MULTICALL = 500;

/** A call of a contract: its address and the call data. */
type ContractRead = Readonly<Record<'to' | 'input', Data>>;

// ethers would block the event loop for about 50 ms per 500 reads.
const AGGREGATE3 = parseFunction('aggregate3((address,bool,bytes)[])((bool,bytes)[])').complete!;

/** Encodes reads as call data of Multicall3, with `allowFailure` set for each. */
export const encodeAggregate3 = (reads: readonly ContractRead[]): Data =>
  encodeCall(AGGREGATE3, [reads.map(({ to, input }) => [to, true, input])]);

/**
 * Decodes the result of `aggregate3`, `(bool success, bytes returnData)[]`. An item is null if its read failed,
 * possibly for lack of gas. Returns undefined if the data is not a result of Multicall3 for `count` reads.
 */
export function decodeAggregate3(data: Data, count: number): (Data | null)[] | undefined {
  const [results] = readArguments(AGGREGATE3.outputs.body, data.slice(2)) ?? [];
  if (!Array.isArray(results) || results.length !== count) return undefined;
  return results.map(([isSuccess, bytes]: readonly [boolean, Data]) => (isSuccess ? bytes : null));
}

/** Calls a contract and returns its result: null if its code reverts, '0x' for an account without code. */
export type ContractReader = (read: ContractRead & { readonly at: BlockRef }) => Promise<Data | null>;

type ContractReadResult = Data | null | Error;

/** Marks endpoints on whose chain Multicall3 is not deployed. */
const MULTICALL3_FEATURE = 'multicall3';

/**
 * Loads contract reads by block, contract and call data. The reads of a tick at one block share one `eth_call` through
 * Multicall3 if it is deployed; otherwise each read is one call, and the calls share a request. A read that fails
 * inside Multicall3 is repeated alone, because the other reads may have used its gas.
 */
export function contractReader({ stateReader, session, pin }: Snapshot): ContractReader {
  const readContract = (address: Data, at: BlockRef, input: Data) =>
    stateReader.read(ethCall, { address, at }, input).catch(nullIfReverted);
  const readSeparately = (reads: readonly ContractRead[], at: BlockRef): Promise<ContractReadResult[]> =>
    readEach(reads, ({ to, input }) => readContract(to, at, input));

  const readWithMulticall = async (reads: readonly ContractRead[], at: BlockRef): Promise<ContractReadResult[]> => {
    // Reverts if one contract uses all the gas; then each contract is read separately.
    const data = await readContract(MULTICALL3_ADDRESS, at, encodeAggregate3(reads));
    const results = data === null ? undefined : decodeAggregate3(data, reads.length);
    if (data === '0x' && at === 'latest' && !pin.isPinnedByRequest)
      session.capabilities.unsupportedMethods.set(MULTICALL3_FEATURE, true);
    if (!results) return readSeparately(reads, at);
    const failed = reads.filter((_read, i) => results[i] === null);
    const retried = await readSeparately(failed, at);
    return results.map((result) => (result === null ? retried.shift()! : result));
  };

  /** Batches by block. A failed batch fails only its own reads. */
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
const nullIfReverted = nullFor('EXECUTION_REVERTED');
