import type { Cancellation } from '../lib/abort.ts';
import type { Operation } from '../operation/operation.ts';
import type { ResponseDependencies } from '../operation/response-dependencies.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';
import { createOperationCalls, type OperationCalls } from '../upstream/rpc/operation-calls.ts';
import { type BlockPointer, hasFound, type RpcCall, type RpcOutcome, type RpcSender } from '../upstream/rpc/rpc-call.ts';
import type { RpcSession } from '../upstream/rpc/session.ts';
import type { ResultObserver } from '../upstream/rpc/shared-results.ts';
import { type BlockAvailability, createBlockAvailability } from './block-availability.ts';
import type { EventReads } from './event-reads.ts';
import { describePrunedBlocks } from './history/pruned-blocks.ts';
import type { LiveCalls } from './live-calls.ts';
import { type FollowedChain, PinnedBlock } from './pinned-block.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { createStateReader, type StateReader } from './state-reader.ts';

/**
 * Records the blocks on which the results of an operation's calls depend. Records a result that may be invalid at the
 * operation's head as unconfirmed, so that caches do not store the response.
 */
export function createDependencyRecorder(dependencies: ResponseDependencies, follower: FollowedChain): ResultObserver {
  const isCanonical = ({ number, hash }: BlockPointer): boolean =>
    isSettled(number) || follower.hashAt(number) === hash.toLowerCase();
  const isSettled = (height: string): boolean => Number(height) < follower.settledBelow;

  const addBlock = ({ hash, number }: BlockPointer): void => dependencies.addBlock(hash, Number(number));

  return {
    onResult(method, args, settled, key, cached) {
      if (!hasFound(settled) && !cached) return dependencies.addUnconfirmed(key);
      const hash = method.blockHash?.(...args);
      const height = method.height?.(...args);
      const block = 'value' in settled && settled.value !== null ? method.inclusionBlock?.(settled.value, ...args) : undefined;
      const isValid =
        cached !== undefined || hash !== undefined || (height === undefined ? block && isCanonical(block) : isSettled(height));
      if (!isValid) return dependencies.addUnconfirmed(key);
      // An earlier attempt of a repeated call may have found nothing.
      dependencies.confirm(key);
      if (block) addBlock(block);
      else if (hash !== undefined) dependencies.addBlock(hash);
      else if (cached?.block) addBlock(cached.block);
      else if (height !== undefined) dependencies.addHeight(Number(height));
      return undefined;
    },
    onConfirmed(key, block) {
      dependencies.confirm(key);
      if (block) addBlock(block);
    },
  };
}

/** Sources that the snapshots of all operations share. */
export interface SnapshotSources {
  readonly node: RpcNode;
  readonly follower: FollowedChain;
  /** Undefined when caching is off (`CACHE_BYTES=0`). */
  readonly cache?: RpcResultCache | undefined;
  readonly eventReads: EventReads;
  /** Undefined where no live query is served. */
  readonly liveCalls?: LiveCalls | undefined;
}

/**
 * The chain as one operation sees it, shared by all domains: one endpoint, one head, one POST per tick, equal calls are
 * sent once. All values that are read through a snapshot belong to one chain. A class because of its getter, like
 * `PinnedBlock`.
 */
export class Snapshot implements SnapshotSources {
  readonly operation: Operation;
  readonly node: RpcNode;
  readonly follower: FollowedChain;
  readonly cache: RpcResultCache | undefined;
  readonly eventReads: EventReads;
  readonly session: RpcSession;
  readonly calls: OperationCalls;
  readonly pin: PinnedBlock;
  readonly availability: BlockAvailability;
  /** Set for a live query. */
  readonly #shared: ReturnType<LiveCalls['at']> | undefined;
  #stateReader: StateReader | undefined;

  /** Sends nothing before the first call. */
  constructor({ node, follower, cache, eventReads, liveCalls }: SnapshotSources, operation: Operation) {
    this.operation = operation;
    this.node = node;
    this.follower = follower;
    this.cache = cache;
    this.eventReads = eventReads;
    if (operation.trust && !node.headerChecks.refuses) operation.trust.isUnchecked = true;
    this.#shared = operation.event?.isLive ? liveCalls?.at(operation.event.block, operation.budget) : undefined;
    this.session = this.#shared?.session ?? node.createSession({ budget: operation.budget });
    const callCache = operation.event ? eventReads.cacheFor(operation.event, cache) : cache;
    const recorder = createDependencyRecorder(operation.dependencies, follower);
    const sender: RpcSender = { send: (calls, signal) => this.#send(calls, signal) };
    this.calls = createOperationCalls(sender, operation.signal, callCache, recorder, operation.budget);
    this.pin = new PinnedBlock(operation, this.calls, follower, cache);
    this.availability = createBlockAvailability(sender, this.calls, this.pin, operation);
  }

  get stateReader(): StateReader {
    this.#stateReader ??= createStateReader(this.calls, this.session, this.pin, this.availability);
    return this.#stateReader;
  }

  /** Sends calls, and adds the requested and the earliest block to the errors for pruned history. */
  async #send(calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]> {
    const outcomes = await (this.#shared ?? this.session).send(calls, signal);
    const isPruned = outcomes.some((outcome) => 'error' in outcome && outcome.error.code === 'HISTORY_PRUNED');
    return isPruned ? describePrunedBlocks(calls, outcomes, this) : outcomes;
  }
}
