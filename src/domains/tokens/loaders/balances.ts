import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type RawTokenBalance, stateBlockOf, type TokensAccountKey } from '../model.ts';
import { erc20, firstWordOf } from '../rpc-methods.ts';
import type { ContractReader } from './contracts.ts';
import { callAtHead, type EnhancedMethodsAt } from './enhanced-calls.ts';
import { loadInGroups } from './load-in-groups.ts';

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
