import type { TokenLoaders } from './loaders/index.ts';

/** The part of an operation's context that token resolvers use. */
export interface TokensContext {
  readonly tokens: TokenLoaders;
}
