import { defineDomain } from '../domain.ts';
import { tokensWeights } from './costs.ts';
import { createTokenLoaders } from './loaders/index.ts';
import { tokensResolvers } from './resolvers.ts';

/** Fungible tokens (ERC-20): metadata, balances and allowances. */
export const tokens = defineDomain({
  name: 'tokens',
  schema: 'schema/tokens',
  settings: {},
  resolvers: tokensResolvers,
  weights: tokensWeights,
  errorSource: 'node',
  create: ({ settings, tokenLists, abis }) => ({
    loaders: createTokenLoaders({ enhancedMethods: settings.NODE_METHODS, lists: tokenLists, abis }),
  }),
});
