import type { Domain } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { tokensWeights } from './costs.ts';
import { createEnhancedMethodsDetector, type EnhancedMethodsSetting } from './loaders/enhanced-methods.ts';
import { type TokenLoaders, tokenLoaders } from './loaders/index.ts';
import { createTokenMetadataCache } from './loaders/metadata.ts';
import { tokensResolvers } from './resolvers/index.ts';
import type { TokenLists } from './token-lists.ts';

export { readTokenLists } from './token-lists.ts';

/** Settings of the tokens domain. */
export interface TokenSettings {
  readonly enhancedMethods: EnhancedMethodsSetting;
  readonly lists: TokenLists;
}

/** Fungible tokens (ERC-20): metadata, supply, balances and allowances. */
export const tokens: Domain<'tokens', TokenSettings, Snapshot, TokenLoaders> = {
  name: 'tokens',
  schema: 'schema/tokens',
  resolvers: tokensResolvers,
  weights: tokensWeights,
  create: ({ enhancedMethods, lists }) => {
    const sources = {
      detectEnhancedMethods: createEnhancedMethodsDetector(enhancedMethods),
      lists,
      metadataCache: createTokenMetadataCache(),
    };
    return (snapshot) => tokenLoaders(sources, snapshot);
  },
};
