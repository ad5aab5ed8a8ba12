import type { Data } from '../../../ethereum/hex.ts';
import type { View } from '../../../snapshot/index.ts';
import { type AccountKey, type AmountOf, blockOf, type TokenAt } from '../model.ts';
import { amountOf, erc20, wordOf } from '../rpc-methods.ts';
import type { TokenLists } from '../token-lists.ts';
import { balanceLoader } from './balances.ts';
import { contractReader } from './contracts.ts';
import { asOfHead, type EnhancedAt } from './enhanced-at-head.ts';
import type { FindEnhanced } from './enhanced-methods.ts';
import { type MetadataCache, metadataLoader } from './metadata.ts';

/** What the loaders of all operations share. */
export interface TokenSources {
  readonly enhanced: FindEnhanced;
  readonly lists: TokenLists;
  readonly cache: MetadataCache;
}

export type TokenLoaders = ReturnType<typeof tokenLoaders>;

/** Everything of tokens that one operation asks for. */
export function tokenLoaders({ enhanced: find, lists, cache }: TokenSources, view: View) {
  let finding: ReturnType<FindEnhanced> | undefined;
  const enhanced = () => {
    finding ??= find(view);
    return finding;
  };
  const enhancedAt: EnhancedAt = async (at) => (at === 'latest' && !view.pin.isNamed ? enhanced() : undefined);
  const read = contractReader(view);
  const metadata = metadataLoader(view, enhanced, read, lists, cache);

  /** All that there is of a token; null when the contract does not tell. Source: `totalSupply()`. */
  const totalSupply = async (contract: Data, at: AccountKey['_at']): Promise<AmountOf | null> =>
    amountOf(contract, wordOf(await read({ to: contract, input: erc20.totalSupply, at: at ?? 'latest' })));

  return {
    metadata,
    totalSupply,
    balance: balanceLoader(view, enhancedAt, read),

    /** What a spender may take; null when the contract does not tell. */
    async allowance(contract: Data, owner: AccountKey, spender: Data): Promise<AmountOf | null> {
      const at = blockOf(owner);
      const of = { contract, owner: owner.address, spender };
      const direct = async () => wordOf(await read({ to: contract, input: erc20.allowance(of), at }));
      const methods = await enhancedAt(at);
      if (!methods) return amountOf(contract, await direct());
      const { allowance } = methods;
      const told = await asOfHead(view, allowance.name, () => view.calls.call(allowance, of));
      return amountOf(contract, told ?? (await direct()));
    },

    /** The token at an address; null when nothing is known of one there. */
    async token(contract: Data): Promise<TokenAt | null> {
      const known = (await metadata(contract)) ?? (await totalSupply(contract, null));
      return known && { address: contract };
    },
  };
}
