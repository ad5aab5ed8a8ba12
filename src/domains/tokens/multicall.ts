import { Interface } from 'ethers';
import type { Data } from '../../evm/hex.ts';

/** Multicall3 has this address on every chain on which it is deployed (https://www.multicall3.com). */
export const MULTICALL3: Data = '0xca11bde05977b3631167028862be2a173976ca11';

/** So many small reads are far below the gas that nodes give a call. */
export const MOST_IN_ONE = 500;

const contract = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
]);

/** One read of a contract. */
export interface ContractRead {
  readonly to: Data;
  readonly input: Data;
}

/** The input by which Multicall3 makes these reads; each may fail alone. */
export const aggregated = (reads: readonly ContractRead[]): Data =>
  contract.encodeFunctionData('aggregate3', [reads.map(({ to, input }) => [to, true, input])]);

/**
 * What each read brought: null where the code failed and said so, undefined where it failed without a word, as it does when the gas is used up.
 * The whole is undefined when this is no answer of Multicall3 to so many reads.
 */
export function resultsIn(answer: Data, count: number): (Data | null | undefined)[] | undefined {
  try {
    const [results] = contract.decodeFunctionResult('aggregate3', answer);
    if (results.length !== count) return undefined;
    return results.map(([success, told]: [boolean, Data]) => (success ? told : told === '0x' ? undefined : null));
  } catch {
    return undefined;
  }
}
