import type { Metric } from './server/ops/metrics.ts';
import type { EventReads } from './snapshot/event-reads.ts';
import type { RpcResultCache } from './snapshot/rpc-result-cache.ts';
import type { Follower } from './sync/head/follower.ts';
import type { SourceHealth } from './sync/source-health.ts';
import type { RpcNode } from './upstream/rpc/node.ts';

/** What is told of the head where readiness is asked for. */
export const headStatus = ({ head, status }: Follower): Record<string, unknown> => ({
  number: head?.number ?? null,
  ageMs: status.headAgeMs ?? null,
  state: status.state,
  transport: status.transport,
});

const EMPTY_CACHE_STATUS: RpcResultCache['status'] = { bytes: 0, entries: 0, hits: 0, misses: 0 };

/** What can be watched of the node. */
export const nodeMetrics = (node: Pick<RpcNode, 'status'>): readonly Metric[] => [
  {
    name: 'node_retries_total',
    help: 'Times that the node was asked again after a passing failure.',
    kind: 'counter',
    value: () => node.status.retries,
  },
  {
    name: 'node_stray_answers_total',
    help: 'Entries of answers of the node that belonged to no call, and were dropped.',
    kind: 'counter',
    value: () => node.status.unmatchedResponses,
  },
  {
    name: 'node_endpoints_away',
    help: 'Endpoints of the node that are left alone because they have failed.',
    kind: 'gauge',
    value: () => node.status.unavailableEndpoints,
  },
];

/** What can be watched of the chain, of the cache, and of what events of subscriptions have read. */
export const chainMetrics = (
  follower: Follower,
  memory: RpcResultCache | undefined,
  events: Pick<EventReads, 'status'>,
): readonly Metric[] => [
  {
    name: 'head_age_seconds',
    help: 'Time since the head of the chain came or was last confirmed.',
    kind: 'gauge',
    value: () => (follower.status.headAgeMs === undefined ? undefined : follower.status.headAgeMs / 1000),
  },
  {
    name: 'head_unknown_seconds',
    help: 'Time for which no head has been known or nobody has been able to confirm it; 0 while it is known.',
    kind: 'gauge',
    value: () => (follower.status.unknownMs ?? 0) / 1000,
  },
  {
    name: 'heads_unconfirmed_total',
    help: 'Heads that the node has shown and not confirmed, which were not taken.',
    kind: 'counter',
    value: () => follower.status.unconfirmed,
  },
  { name: 'head_number', help: 'Height of the head, while it is known.', kind: 'gauge', value: () => follower.head?.height },
  {
    name: 'reorgs_total',
    help: 'Reorganisations of the chain that were followed.',
    kind: 'counter',
    value: () => follower.status.reorgs,
  },
  {
    name: 'gaps_total',
    help: 'Changes of the chain of which not every block is known.',
    kind: 'counter',
    value: () => follower.status.gaps,
  },
  {
    name: 'node_reconnects_total',
    help: 'Connections to the node that were made anew.',
    kind: 'counter',
    value: () => follower.status.reconnects,
  },
  {
    name: 'cache_bytes',
    help: 'Memory that kept answers of the node take.',
    kind: 'gauge',
    value: () => (memory?.status ?? EMPTY_CACHE_STATUS).bytes,
  },
  {
    name: 'cache_entries',
    help: 'Answers of the node that are kept.',
    kind: 'gauge',
    value: () => (memory?.status ?? EMPTY_CACHE_STATUS).entries,
  },
  {
    name: 'cache_hits_total',
    help: 'Calls that a kept answer has spared.',
    kind: 'counter',
    value: () => (memory?.status ?? EMPTY_CACHE_STATUS).hits,
  },
  {
    name: 'cache_misses_total',
    help: 'Calls for which no answer was kept.',
    kind: 'counter',
    value: () => (memory?.status ?? EMPTY_CACHE_STATUS).misses,
  },
  {
    name: 'event_reads_bytes',
    help: 'Memory of what events have read at recent blocks, recorded for the events of a reorg that removes these blocks.',
    kind: 'gauge',
    value: () => events.status.bytes,
  },
  {
    name: 'event_reads_blocks',
    help: 'Blocks at which reads of events are recorded.',
    kind: 'gauge',
    value: () => events.status.blocks,
  },
];

/** Sources of subscriptions, by what their metrics begin with. */
const SUBSCRIPTION_SOURCES = {
  logs: 'logs',
  pending_transactions: 'pendingTransactions',
  transaction_status: 'transactionStatus',
};

/** What can be watched of the sources of subscriptions. */
export const subscriptionSourceMetrics = (health: SourceHealth): readonly Metric[] =>
  Object.entries(SUBSCRIPTION_SOURCES).map(([name, source]) => ({
    name: `${name}_failing_seconds`,
    help: `Time for which what subscriptions need (${source}) has failed; 0 while it works or nobody listens.`,
    kind: 'gauge',
    value: () => health.failingMs(source) / 1000,
  }));

/** What can be watched of the wizard service. */
export function createWizardMetrics(): { readonly metrics: readonly Metric[]; onContradictions(count: number): void } {
  let contradictions = 0;
  return {
    metrics: [
      {
        name: 'wizard_contradictions_total',
        help: 'Fields of the wizard service that said one thing by their name and another by the one they had before.',
        kind: 'counter',
        value: () => contradictions,
      },
    ],
    onContradictions(count) {
      contradictions += count;
    },
  };
}
