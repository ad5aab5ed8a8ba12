import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { View } from '../../../snapshot/index.ts';
import { type AccountKey, type BalanceOf, blockOf } from '../model.ts';
import { erc20, wordOf } from '../rpc-methods.ts';
import type { ContractReader } from './contracts.ts';
import { asOfHead, type EnhancedAt } from './enhanced-at-head.ts';
import { inGroups } from './groups.ts';

interface Asked {
  readonly owner: AccountKey;
  readonly contract: Data;
}

/**
 * Balances of tokens: those of one holder are one call where the node has an enhanced method and its most recent block is meant, and else
 * all of a block are read together.
 */
export function balanceLoader(view: View, enhancedAt: EnhancedAt, read: ContractReader) {
  const direct = async ({ owner, contract }: Asked): Promise<Data | null> =>
    wordOf(await read({ to: contract, input: erc20.balanceOf(owner.address), at: blockOf(owner) }));

  const each = (asked: readonly Asked[]): Promise<(Data | null | Error)[]> =>
    Promise.all(asked.map((one) => direct(one).catch((error: Error) => error)));

  const ofHolder = async (asked: readonly Asked[]): Promise<(Data | null | Error)[]> => {
    const { owner } = asked[0]!;
    const methods = await enhancedAt(blockOf(owner));
    if (!methods) return each(asked);
    const { balances } = methods;
    const contracts = asked.map(({ contract }) => contract);
    const entries = await asOfHead(view, balances.name, () => view.calls.call(balances, owner.address, contracts));
    const words = new Map(entries?.map(({ contract, word }) => [contract, word]));
    // Whether there is a balance is for the contract to say, not for a service that fails at it or leaves it out.
    const untold = asked.filter(({ contract }) => !words.get(contract));
    const told = new Map((await each(untold)).map((word, i) => [untold[i]!, word] as const));
    return asked.map((one) => words.get(one.contract) ?? told.get(one) ?? null);
  };

  const holderOf = ({ owner }: Asked): string => `${blockOf(owner)} ${owner.address}`;
  const loader = new DataLoader<Asked, Data | null, string>((asked) => inGroups(asked, holderOf, ofHolder), {
    cacheKeyFn: (asked) => `${holderOf(asked)} ${asked.contract}`,
  });

  return async (owner: AccountKey, contract: Data): Promise<BalanceOf> => ({
    contract,
    owner,
    word: await loader.load({ owner, contract }),
  });
}
