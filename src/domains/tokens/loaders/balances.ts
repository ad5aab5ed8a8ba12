import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type RawTokenAmount, type RawTokenBalance, stateBlockOf, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import { type AllowanceParams, erc20, firstWordOf } from '../rpc-methods.ts';
import type { ContractReader } from './contracts.ts';
import { callAtHead, type EnhancedMethodsAt } from './enhanced-calls.ts';

interface AllowanceKey extends AllowanceParams {
  readonly at: BlockRef;
}

/**
 * Loads allowances by block, contract, owner and spender; null if the contract returns none. Source: the enhanced method at the head if the
 * node has it, else `allowance(owner, spender)`.
 */
export function allowanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readAllowance = async ({ at, ...params }: AllowanceKey): Promise<Data | null> => {
    const allowance = (await enhancedAt(at))?.allowance;
    const word = allowance && (await callAtHead(snapshot, allowance.name, () => snapshot.calls.call(allowance, params)));
    return word ?? firstWordOf(await read({ to: params.contract, input: erc20.allowance(params), at }));
  };

  const loader = new DataLoader<AllowanceKey, Data | null, string>(
    (keys) => Promise.all(keys.map((key) => readAllowance(key).catch((error: Error) => error))),
    {
      cacheKeyFn: ({ at, contract, owner, spender }) => `${at} ${contract} ${owner} ${spender}`,
      // Dispatches in the current tick, so that contract reads share the batch of the operation's other contract reads.
      batchScheduleFn: queueMicrotask,
    },
  );

  return async (contract: Data, owner: TokensAccountKey, spender: Data): Promise<RawTokenAmount | null> =>
    toRawTokenAmount(contract, await loader.load({ at: stateBlockOf(owner), contract, owner: owner.address, spender }));
}

/**
 * Loads token balances by block, owner and contract. At the head, a node with enhanced methods returns all balances of one owner in one call;
 * otherwise the balances of a block share the batch of the contract reader.
 */
export function balanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readOwner = async (owner: Data, at: BlockRef, contracts: readonly Data[]): Promise<(Data | null | Error)[]> => {
    const balances = (await enhancedAt(at))?.balances;
    const entries =
      balances && (await callAtHead(snapshot, balances.name, () => snapshot.calls.call(balances, owner, contracts)));
    const words = new Map(entries?.map(({ contract, word }) => [contract, word]));
    const readContract = async (to: Data) => firstWordOf(await read({ to, input: erc20.balanceOf(owner), at }));
    // Only the contract can show that it has no balance: an enhanced method may fail for a contract or omit it.
    return Promise.all(contracts.map((contract) => words.get(contract) ?? readContract(contract).catch((error: Error) => error)));
  };

  /** By block and owner. */
  const loaders = new Map<string, DataLoader<Data, Data | null>>();
  return async (owner: TokensAccountKey, contract: Data): Promise<RawTokenBalance> => {
    const at = stateBlockOf(owner);
    const key = `${at} ${owner.address}`;
    const loader = loaders.get(key) ?? new DataLoader<Data, Data | null>((contracts) => readOwner(owner.address, at, contracts));
    loaders.set(key, loader);
    return { contract, owner, word: await loader.load(contract) };
  };
}
