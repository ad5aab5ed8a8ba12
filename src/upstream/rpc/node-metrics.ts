import { type AnyMetric, metricTable } from '../../lib/metrics.ts';
import type { RpcNode } from './node.ts';

export const nodeMetrics = (node: Pick<RpcNode, 'status' | 'headerChecks'>): readonly AnyMetric[] => [
  ...metricTable({
    node_retries_total: ['Requests to the node that were retried after a transient failure.', () => node.status.retries],
    node_unmatched_responses_total: ['Entries of responses that matched no call.', () => node.status.unmatchedResponses],
    node_endpoints_unavailable: [
      'Endpoints of the node that do not respond, reject requests, or serve another chain.',
      () => node.status.unavailableEndpoints,
      'max',
    ],
    node_queued_requests: ['Requests to the node that wait for a connection.', () => node.status.queuedRequests],
    node_queue_waits_total: ['Requests to the node that have waited for a connection.', () => node.status.queueWaits],
    node_queue_wait_seconds_total: ['Time that POSTs have waited for a connection.', () => node.status.queueWaitMs / 1_000],
    upstream_verifications_total: ['Results of the node that were compared with a block header.', () => node.headerChecks.checks],
    node_overloaded_total: ['Requests to the node that were not sent because the queue was full.', () => node.status.overloads],
  }),
  node.headerChecks.failures,
];
