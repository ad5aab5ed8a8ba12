import type { Operation } from '../graphql/domain.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';
import { createOperationCalls, type OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { RpcSession } from '../upstream/rpc/session.ts';
import { type BlockAvailability, createBlockAvailability } from './block-availability.ts';
import type { EventReads } from './event-reads.ts';
import { createPinnedBlock, type PinnedBlock } from './pinned-block.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';
import { createStateReader, type StateReader } from './state-reader.ts';

/** What the views of all operations share. */
export interface SnapshotSources {
  readonly node: RpcNode;
  /** Knows the chain; without one the node is asked for it. */
  readonly follower?: Follower | undefined;
  readonly cache?: RpcResultCache | undefined;
  /** What events of subscriptions have read; without it an event about a removed block reads from the node alone. */
  readonly eventReads?: EventReads | undefined;
}

/**
 * The chain as one operation sees it, whichever domain asks: one endpoint, one head, one tick for all calls, equal ones once. All that
 * is read through it agrees.
 */
export interface Snapshot extends SnapshotSources {
  readonly operation: Operation;
  readonly session: RpcSession;
  readonly calls: OperationCalls;
  readonly pin: PinnedBlock;
  readonly availability: BlockAvailability;
  readonly stateReader: StateReader;
}

/** Opens an operation's view. Nothing is sent until the first call. */
export function createSnapshot({ node, follower, cache: memory, eventReads }: SnapshotSources, operation: Operation): Snapshot {
  const session = node.createSession({ meter: operation.meter });
  const cache = operation.event && eventReads ? eventReads.cacheFor(operation.event, memory) : memory;
  const onVolatile = () => {
    operation.isVolatile = true;
  };
  const calls = createOperationCalls(session, operation.signal, cache, onVolatile, operation.meter);
  const pin = createPinnedBlock(operation, calls, follower, memory);
  const availability = createBlockAvailability(session, calls, pin, operation.signal);
  return {
    operation,
    node,
    follower,
    cache: memory,
    eventReads,
    session,
    calls,
    pin,
    availability,
    stateReader: createStateReader(calls, session, pin, availability),
  };
}
