import type { Operation } from '../graphql/domain.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { Node, Session } from '../upstream/rpc/node.ts';
import { type Calls, openCalls } from '../upstream/rpc/operation-calls.ts';
import { openPresence, type Presence } from './block-availability.ts';
import type { EventReads } from './event-reads.ts';
import { openPin, type Pin } from './pinned-block.ts';
import type { ChainMemory } from './rpc-result-cache.ts';
import { type StateReader, stateReader } from './state-reader.ts';

/** What the views of all operations share. */
export interface ViewSources {
  readonly node: Node;
  /** Knows the chain; without one the node is asked for it. */
  readonly follower?: Follower | undefined;
  readonly memory?: ChainMemory | undefined;
  /** What events of subscriptions have read; without it an event about a removed block reads from the node alone. */
  readonly events?: EventReads | undefined;
}

/**
 * The chain as one operation sees it, whichever domain asks: one endpoint, one head, one tick for all calls, equal ones once. All that
 * is read through it agrees.
 */
export interface View extends ViewSources {
  readonly operation: Operation;
  readonly session: Session;
  readonly calls: Calls;
  readonly pin: Pin;
  readonly presence: Presence;
  readonly reads: StateReader;
}

/** Opens an operation's view. Nothing is sent until the first call. */
export function openView({ node, follower, memory, events }: ViewSources, operation: Operation): View {
  const session = node.open({ meter: operation.meter });
  const cache = operation.event && events ? events.cacheFor(operation.event, memory) : memory;
  const onVolatile = () => {
    operation.isVolatile = true;
  };
  const calls = openCalls(session, operation.signal, cache, onVolatile, operation.meter);
  const pin = openPin(operation, calls, follower, memory);
  const presence = openPresence(session, calls, pin, operation.signal);
  return {
    operation,
    node,
    follower,
    memory,
    events,
    session,
    calls,
    pin,
    presence,
    reads: stateReader(calls, session, pin, presence),
  };
}
