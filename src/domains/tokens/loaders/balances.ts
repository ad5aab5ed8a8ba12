import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type RawTokenAmount, type RawTokenBalance, stateBlockOf, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import { type AllowanceParams, erc20, firstWordOf } from '../rpc-methods.ts';
import { type ContractReader, loadInGroups } from './contracts.ts';
import { callAtHead, type EnhancedMethodsAt } from './enhanced-calls.ts';

interface AllowanceKey extends AllowanceParams {
  readonly at: BlockRef;
}

/**
 * Loads allowances by block, contract, owner and spender; null if the contract returns none. Source: the enhanced method at the head if the
 * node has it, else `allowance(owner, spender)`.
 */
export function allowanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readFromContract = async ({ at, ...params }: AllowanceKey): Promise<Data | null> =>
    firstWordOf(await read({ to: params.contract, input: erc20.allowance(params), at }));

  const readAllowance = async (key: AllowanceKey): Promise<Data | null> => {
    const { at, ...params } = key;
    const methods = await enhancedAt(at);
    if (!methods) return readFromContract(key);
    const { allowance } = methods;
    const word = await callAtHead(snapshot, allowance.name, () => snapshot.calls.call(allowance, params));
    return word ?? readFromContract(key);
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

interface BalanceKey {
  readonly owner: TokensAccountKey;
  readonly contract: Data;
}

/**
 * Loads token balances by block, owner and contract. At the head, a node with enhanced methods returns all balances of one owner in one call;
 * otherwise the balances of a block share the batch of the contract reader.
 */
export function balanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readFromContract = async ({ owner, contract }: BalanceKey): Promise<Data | null> =>
    firstWordOf(await read({ to: contract, input: erc20.balanceOf(owner.address), at: stateBlockOf(owner) }));

  const readFromContracts = (keys: readonly BalanceKey[]): Promise<(Data | null | Error)[]> =>
    Promise.all(keys.map((key) => readFromContract(key).catch((error: Error) => error)));

  const readOwner = async (keys: readonly BalanceKey[]): Promise<(Data | null | Error)[]> => {
    const { owner } = keys[0]!;
    const methods = await enhancedAt(stateBlockOf(owner));
    if (!methods) return readFromContracts(keys);
    const { balances } = methods;
    const contracts = keys.map(({ contract }) => contract);
    const entries = await callAtHead(snapshot, balances.name, () => snapshot.calls.call(balances, owner.address, contracts));
    const words = new Map(entries?.map(({ contract, word }) => [contract, word]));
    // Only the contract can show that it has no balance: an enhanced method may fail for a contract or omit it.
    const missing = keys.filter(({ contract }) => !words.get(contract));
    const fromContracts = new Map((await readFromContracts(missing)).map((word, i) => [missing[i]!, word] as const));
    return keys.map((key) => words.get(key.contract) ?? fromContracts.get(key) ?? null);
  };

  const ownerKeyOf = ({ owner }: BalanceKey): string => `${stateBlockOf(owner)} ${owner.address}`;
  const loader = new DataLoader<BalanceKey, Data | null, string>((keys) => loadInGroups(keys, ownerKeyOf, readOwner), {
    cacheKeyFn: (key) => `${ownerKeyOf(key)} ${key.contract}`,
  });

  return async (owner: TokensAccountKey, contract: Data): Promise<RawTokenBalance> => ({
    contract,
    owner,
    word: await loader.load({ owner, contract }),
  });
}
