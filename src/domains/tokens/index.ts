import type { TokenLists } from '../../config/token-lists.ts';
import type { AbiRegistry } from '../../ethereum/abi/registry.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { defineDomain } from '../domain.ts';
import { tokensWeights } from './costs.ts';
import { createEnhancedMethodsDetector, type EnhancedMethodsSetting, TokenLoaders } from './loaders/index.ts';
import { createTokenMetadataCache } from './loaders/metadata.ts';
import { tokensResolvers } from './resolvers.ts';

export interface TokenLoaderOptions {
  readonly enhancedMethods: EnhancedMethodsSetting;
  readonly lists: TokenLists;
  /** Without ABIs when omitted. */
  readonly abis?: Pick<AbiRegistry, 'contractName'>;
}

const NO_ABIS = { contractName: () => null };

/** Returns the factory of each operation's token loaders. */
export function createTokenLoaders({
  enhancedMethods,
  lists,
  abis = NO_ABIS,
}: TokenLoaderOptions): (snapshot: Snapshot) => TokenLoaders {
  const sources = {
    detectEnhancedMethods: createEnhancedMethodsDetector(enhancedMethods),
    lists,
    abis,
    metadataCache: createTokenMetadataCache(),
  };
  return (snapshot) => new TokenLoaders(sources, snapshot);
}

/** Fungible tokens (ERC-20): metadata, balances and allowances. */
export const tokens = defineDomain({
  name: 'tokens',
  schema: 'schema/tokens',
  settings: {},
  resolvers: tokensResolvers,
  weights: tokensWeights,
  errorSource: 'node',
  create: ({ settings, tokenLists, abis }) => ({
    loaders: createTokenLoaders({
      enhancedMethods: settings.NODE_METHODS,
      lists: tokenLists,
      abis,
    }),
  }),
});
