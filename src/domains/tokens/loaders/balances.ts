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
 * Balances of tokens: those of one holder are one call where the node has an enhanced method and its most recent block is meant, and else
 * all of a block are read together.
 */
export function balanceLoader(view: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const direct = async ({ owner, contract }: BalanceKey): Promise<Data | null> =>
    firstWordOf(await read({ to: contract, input: erc20.balanceOf(owner.address), at: stateBlockOf(owner) }));

  const each = (asked: readonly BalanceKey[]): Promise<(Data | null | Error)[]> =>
    Promise.all(asked.map((one) => direct(one).catch((error: Error) => error)));

  const ofHolder = async (asked: readonly BalanceKey[]): Promise<(Data | null | Error)[]> => {
    const { owner } = asked[0]!;
    const methods = await enhancedAt(stateBlockOf(owner));
    if (!methods) return each(asked);
    const { balances } = methods;
    const contracts = asked.map(({ contract }) => contract);
    const entries = await callAtHead(view, balances.name, () => view.calls.call(balances, owner.address, contracts));
    const words = new Map(entries?.map(({ contract, word }) => [contract, word]));
    // Whether there is a balance is for the contract to say, not for a service that fails at it or leaves it out.
    const untold = asked.filter(({ contract }) => !words.get(contract));
    const told = new Map((await each(untold)).map((word, i) => [untold[i]!, word] as const));
    return asked.map((one) => words.get(one.contract) ?? told.get(one) ?? null);
  };

  const holderOf = ({ owner }: BalanceKey): string => `${stateBlockOf(owner)} ${owner.address}`;
  const loader = new DataLoader<BalanceKey, Data | null, string>((asked) => loadInGroups(asked, holderOf, ofHolder), {
    cacheKeyFn: (asked) => `${holderOf(asked)} ${asked.contract}`,
  });

  return async (owner: TokensAccountKey, contract: Data): Promise<RawTokenBalance> => ({
    contract,
    owner,
    word: await loader.load({ owner, contract }),
  });
}
