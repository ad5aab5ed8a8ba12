import type { ChainLoaders } from './load.ts';

/** The parent value of `Service`. */
export type ChainService = ReturnType<ChainLoaders['service']>;

/** The part of an operation's context that chain resolvers read. */
export interface ChainContext {
  readonly chain: ChainLoaders;
}
