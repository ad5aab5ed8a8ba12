import type { ChainLoaders } from './loaders/index.ts';

/** What chain resolvers find in the context of an operation. */
export interface ChainContext {
  readonly chain: ChainLoaders;
}
