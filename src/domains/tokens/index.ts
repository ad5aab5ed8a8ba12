import type { Domain } from '../../graphql/domain.ts';
import type { View } from '../../snapshot/index.ts';
import { weights } from './costs.ts';
import { type NodeMethods, openEnhanced } from './loaders/enhanced-methods.ts';
import { type TokenLoaders, tokenLoaders } from './loaders/index.ts';
import { openMetadataCache } from './loaders/metadata.ts';
import { resolvers } from './resolvers/index.ts';
import type { TokenLists } from './token-lists.ts';

export { readTokenLists } from './token-lists.ts';

/** What the operator has chosen. */
export interface TokenSettings {
  readonly methods: NodeMethods;
  readonly lists: TokenLists;
}

/** Fungible tokens (ERC-20): what they are called, who has how much, who may take it. */
export const tokens: Domain<'tokens', TokenSettings, View, TokenLoaders> = {
  name: 'tokens',
  schema: 'schema/tokens',
  resolvers,
  weights,
  open: ({ methods, lists }) => {
    const sources = { enhanced: openEnhanced(methods), lists, cache: openMetadataCache() };
    return (view) => tokenLoaders(sources, view);
  },
};
