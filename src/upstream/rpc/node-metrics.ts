import { counter, gauge, type Metric } from '../../lib/metrics.ts';
import type { RpcNode } from './node.ts';

export const nodeMetrics = (node: Pick<RpcNode, 'status' | 'headerChecks'>): readonly Metric[] => [
  counter('node_retries_total', 'Requests to the node that were retried after a transient failure.', () => node.status.retries),
  counter(
    'node_unmatched_responses_total',
    'Entries of node responses that matched no call and were dropped.',
    () => node.status.unmatchedResponses,
  ),
  counter(
    'node_header_check_failures_total',
    'Results of the node that contradict a block header.',
    () => node.headerChecks.failures,
  ),
  gauge(
    'node_endpoints_unavailable',
    'Endpoints of the node that are unavailable because their circuit breaker is open.',
    () => node.status.unavailableEndpoints,
  ),
  gauge('node_queued_requests', 'Requests to the node that wait for a connection.', () => node.status.queuedRequests),
  counter('node_queue_waits_total', 'Requests to the node that have waited for a connection.', () => node.status.queueWaits),
  counter(
    'node_queue_wait_seconds_total',
    'Time that requests to the node have waited for a connection.',
    () => node.status.queueWaitMs / 1_000,
  ),
  counter(
    'node_overloaded_total',
    'Requests to the node that were not sent because the queue was full.',
    () => node.status.overloads,
  ),
];
