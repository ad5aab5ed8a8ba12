import type { TokenLoaders } from './loaders/index.ts';

/** What token resolvers find in the context of an operation. */
export interface TokensContext {
  readonly tokens: TokenLoaders;
}
