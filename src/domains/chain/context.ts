import type { ChainLoaders } from './loaders/index.ts';
import type { ChainSubscriptions } from './subscriptions/index.ts';

/** The loaders of one operation, and the source streams of the process. */
export interface ChainOperation extends ChainLoaders {
  readonly subscriptions: ChainSubscriptions;
}

/** The part of an operation's context that chain resolvers read. */
export interface ChainContext {
  readonly chain: ChainOperation;
}
