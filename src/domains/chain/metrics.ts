import type { Metric } from '../../metrics.ts';
import type { SourceHealth } from '../../sync/source-health.ts';

/** Sources of subscription events, by the prefix of their metric. */
const SUBSCRIPTION_SOURCES = {
  logs: 'logs',
  pending_transactions: 'pendingTransactions',
  transaction_status: 'transactionStatus',
};

export const chainMetrics = (health: SourceHealth): readonly Metric[] =>
  Object.entries(SUBSCRIPTION_SOURCES).map(([prefix, source]) => ({
    name: `${prefix}_failing_seconds`,
    help: `Time for which reads of subscription events (${source}) have failed; 0 while they succeed or there is no subscriber.`,
    kind: 'gauge',
    value: () => health.failingMs(source) / 1000,
  }));
