import type { FollowedHead } from '../../../src/operation/head-wait.ts';
import { createEventReads } from '../../../src/snapshot/event-reads.ts';
import type { SnapshotSources } from '../../../src/snapshot/index.ts';
import type { FollowedChain } from '../../../src/snapshot/pinned-block.ts';
import type { RpcNode } from '../../../src/upstream/rpc/node.ts';

/** A follower without a head, as while a server starts: operations read the head from the node. */
export const UNSYNCED_FOLLOWER: FollowedChain & FollowedHead & { readonly subscribe: () => () => void } = {
  head: undefined,
  window: undefined,
  oldest: undefined,
  settledBelow: 0,
  hashAt: () => undefined,
  headerOf: () => undefined,
  subscribe: () => () => {},
  onFreshHead: () => () => {},
};

/** The reads of events: none. */
export const noEventReads = () => createEventReads({ recentBlock: () => undefined });

/** Snapshot sources over `node` alone. */
export const unsyncedSources = (node: RpcNode): SnapshotSources => ({
  node,
  follower: UNSYNCED_FOLLOWER,
  eventReads: noEventReads(),
});
