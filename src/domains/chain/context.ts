import type { Data } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import type { ChainLoaders } from './loaders/index.ts';
import type { ChainSubscriptions } from './subscriptions/index.ts';

/** The parent value of `Service`. */
export type ChainService = ReturnType<ChainLoaders['service']>;

/** The loaders of one operation, and the source streams of the process. */
export interface ChainOperation extends ChainLoaders {
  readonly subscriptions: ChainSubscriptions;
  /** Resolves with a transaction once it is in a canonical block; null after `waitMs`, or shortly before the deadline of the operation. */
  waitUntilMined(hash: Data, waitMs: number): Promise<RpcTransaction | null>;
}

/** The part of an operation's context that chain resolvers read. */
export interface ChainContext {
  readonly chain: ChainOperation;
}
