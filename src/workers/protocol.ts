import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { FurtherChain } from '../app/served-chain.ts';
import type { Data, Quantity } from '../ethereum/hex.ts';
import type { RpcLog, RpcTransaction } from '../ethereum/rpc-types.ts';
import type { Head } from '../sync/feed.ts';
import type { FollowerStatus } from '../sync/head/follower-view.ts';
import type { MirroredChange } from '../sync/head/mirrored-follower.ts';
import type { EncodedError } from './channel.ts';

/** The follower of the primary. */
export interface SharedStatus {
  readonly follower: Omit<FollowerStatus, 'error'> & { readonly error: EncodedError | undefined };
  readonly finalizedHeight: number;
  /** The failing sources of subscriptions. */
  readonly failing: readonly { readonly source: string; readonly error: EncodedError }[];
}

/** What a worker serves. */
export type ReadyWorker = Readonly<Record<'url' | 'readyMessage', string>>;

export type HashOfHeight = readonly [number: Quantity, hash: Data];

export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A call and its result, encoded by `v8.serialize` and in base64; without a result, the receiver must send the call to the node. */
export type SharedResult = readonly [key: string, result: string | undefined];

/** The calls that the primary handles for one chain of a worker. */
export type ChainPrimaryHandlers = {
  /** The id of the chain; undefined while the node does not respond, and without a chain id. */
  chainId(): Promise<Quantity | undefined>;
  /** Sends the chain, and from then on its changes. Resolves with the failure of HTTP if the node responds over its WebSocket only. */
  join(): Promise<EncodedError | undefined>;
  logsOf(head: Head, isRemoved?: boolean): Promise<{ readonly logs: readonly RpcLog[]; readonly areProven: boolean }>;
  startPending(): void;
  stopPending(): void;
  /** Returns the keys of calls that other workers have sent, or whose results they have; the worker sends the others. */
  claim(keys: readonly string[]): readonly string[];
  /** The worker has the results of these calls, and has read the hashes of these heights. */
  learned(keys: readonly string[], hashes: readonly HashOfHeight[]): void;
  /** The worker has no result of this call that it can cache. */
  released(key: string): void;
  result(...result: SharedResult): void;
};

/** The calls that the primary handles for a worker. */
export type PrimaryHandlers = {
  /** The further chains. */
  chains(): readonly FurtherChain[];
  listen(key: string, host: string, port: number, advice: string): Promise<string>;
  unlisten(key: string): void;
  ready(worker: ReadyWorker): void;
  failed(error: EncodedError): void;
  setCount(name: string, count: number): void;
  closeIdle(): Promise<boolean>;
  checkRate(app: string | undefined | null, address: string | undefined | null): string | Promise<string>;
  spend(key: string, cost: number): void;
  metrics(): Promise<string>;
};

/** The calls that a worker handles for one chain of the primary. */
export type ChainWorkerHandlers = {
  /** A change of the chain that `commit` applies. */
  announce(change: MirroredChange): void;
  /** From now on, operations that start wait for `commit`: another worker may serve the announced head before this one. */
  hold(): void;
  commit(status: SharedStatus): void;
  setStatus(status: SharedStatus): void;
  addPending(transaction: RpcTransaction): void;
  endPending(error: EncodedError): void;
  /** The hashes of heights that another worker has read. */
  recordHashes(hashes: readonly HashOfHeight[]): void;
  /** Another worker waits for the result of this call. */
  want(key: string): void;
  result(...result: SharedResult): void;
};

/** The calls that a worker handles for the primary. */
export type WorkerHandlers = {
  /** The sum of a count over the other workers. */
  setOthers(name: string, count: number): void;
  closeIdle(): boolean;
  metrics(): Promise<ProcessMetrics>;
  stop(hasGracePeriod: boolean): void;
};
