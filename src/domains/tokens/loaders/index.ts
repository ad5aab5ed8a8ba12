import type { Data } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type RawTokenAmount, stateBlockOf, type TokenKey, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import { erc20, firstWordOf } from '../rpc-methods.ts';
import type { TokenLists } from '../token-lists.ts';
import { balanceLoader } from './balances.ts';
import { contractReader } from './contracts.ts';
import { callAtHead, type EnhancedMethodsAt } from './enhanced-calls.ts';
import type { DetectEnhancedMethods } from './enhanced-methods.ts';
import { metadataLoader, type TokenMetadataCache } from './metadata.ts';

/** What the loaders of all operations share. */
export interface TokenSources {
  readonly detectEnhancedMethods: DetectEnhancedMethods;
  readonly lists: TokenLists;
  readonly metadataCache: TokenMetadataCache;
}

export type TokenLoaders = ReturnType<typeof tokenLoaders>;

/** Everything of tokens that one operation asks for. */
export function tokenLoaders({ detectEnhancedMethods: find, lists, metadataCache }: TokenSources, view: Snapshot) {
  let finding: ReturnType<DetectEnhancedMethods> | undefined;
  const enhanced = () => {
    finding ??= find(view);
    return finding;
  };
  const enhancedAt: EnhancedMethodsAt = async (at) => (at === 'latest' && !view.pin.isPinnedByRequest ? enhanced() : undefined);
  const read = contractReader(view);
  const metadata = metadataLoader(view, enhanced, read, lists, metadataCache);

  /** All that there is of a token; null when the contract does not tell. Source: `totalSupply()`. */
  const totalSupply = async (contract: Data, at: TokensAccountKey['_at']): Promise<RawTokenAmount | null> =>
    toRawTokenAmount(contract, firstWordOf(await read({ to: contract, input: erc20.totalSupply, at: at ?? 'latest' })));

  return {
    metadata,
    totalSupply,
    balance: balanceLoader(view, enhancedAt, read),

    /** What a spender may take; null when the contract does not tell. */
    async allowance(contract: Data, owner: TokensAccountKey, spender: Data): Promise<RawTokenAmount | null> {
      const at = stateBlockOf(owner);
      const of = { contract, owner: owner.address, spender };
      const direct = async () => firstWordOf(await read({ to: contract, input: erc20.allowance(of), at }));
      const methods = await enhancedAt(at);
      if (!methods) return toRawTokenAmount(contract, await direct());
      const { allowance } = methods;
      const told = await callAtHead(view, allowance.name, () => view.calls.call(allowance, of));
      return toRawTokenAmount(contract, told ?? (await direct()));
    },

    /** The token at an address; null when nothing is known of one there. */
    async token(contract: Data): Promise<TokenKey | null> {
      const known = (await metadata(contract)) ?? (await totalSupply(contract, null));
      return known && { address: contract };
    },
  };
}
