import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type RawTokenAmount, stateBlockOf, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
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
