import type { Metric } from '../../lib/metrics.ts';
import type { RpcNode } from './node.ts';

export const nodeMetrics = (node: Pick<RpcNode, 'status' | 'headerChecks'>): readonly Metric[] => [
  {
    name: 'node_retries_total',
    help: 'Requests to the node that were retried after a transient failure.',
    kind: 'counter',
    value: () => node.status.retries,
  },
  {
    name: 'node_unmatched_responses_total',
    help: 'Entries of node responses that matched no call and were dropped.',
    kind: 'counter',
    value: () => node.status.unmatchedResponses,
  },
  {
    name: 'node_header_check_failures_total',
    help: 'Results of the node that contradict a block header.',
    kind: 'counter',
    value: () => node.headerChecks.failures,
  },
  {
    name: 'node_endpoints_unavailable',
    help: 'Endpoints of the node that are unavailable because their circuit breaker is open.',
    kind: 'gauge',
    value: () => node.status.unavailableEndpoints,
  },
  {
    name: 'node_queued_requests',
    help: 'Requests to the node that wait for a connection.',
    kind: 'gauge',
    value: () => node.status.queuedRequests,
  },
  {
    name: 'node_queue_waits_total',
    help: 'Requests to the node that have waited for a connection.',
    kind: 'counter',
    value: () => node.status.queueWaits,
  },
  {
    name: 'node_queue_wait_seconds_total',
    help: 'Time that requests to the node have waited for a connection.',
    kind: 'counter',
    value: () => node.status.queueWaitMs / 1_000,
  },
  {
    name: 'node_overloaded_total',
    help: 'Requests to the node that were not sent because the queue was full.',
    kind: 'counter',
    value: () => node.status.overloads,
  },
];
