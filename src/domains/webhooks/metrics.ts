import { type Metric, metricTable } from '../../lib/metrics.ts';
import type { AttemptCounts } from './delivery/attempt-recorder.ts';
import type { DerivationStatus } from './derivation/options.ts';
import type { ReceiverCounts } from './receiver/receive.ts';

/**
 * Counts of received webhooks and of the attempts to deliver registered ones, and of which block this server derives events, if it is the one that
 * does.
 */
export const webhookMetrics = (
  received: ReceiverCounts,
  attempts: Readonly<AttemptCounts>,
  derivation: Readonly<DerivationStatus> | undefined,
): readonly Metric[] =>
  metricTable({
    webhooks_accepted_total: ['Received webhooks that were stored as new events.', () => received.accepted],
    webhooks_repeated_total: ['Received webhooks whose event was stored before.', () => received.repeated],
    webhooks_unauthenticated_total: ['Received webhooks without a valid signature.', () => received.unauthenticated],
    webhooks_invalid_total: ['Signed webhooks whose body is no notification.', () => received.invalid],
    webhooks_failed_total: ['Signed webhooks that could not be stored; the sender sends them again.', () => received.failed],
    webhook_attempts_delivered_total: [
      'Attempts to deliver a registered webhook that its receiver accepted.',
      () => attempts.DELIVERED,
    ],
    webhook_attempts_failed_total: [
      'Attempts to deliver a registered webhook that failed and are repeated later.',
      () => attempts.RETRYING,
    ],
    webhook_deliveries_dead_total: [
      'Deliveries of registered webhooks that were given up after an attempt.',
      () => attempts.DEAD,
    ],
    webhook_derivation_leading: [
      'Whether this server derives the events of registered webhooks: 1 or 0.',
      () => derivation && Number(derivation.isLeading),
    ],
    webhook_derivation_height: [
      'Height of the block up to which this server has derived the events of registered webhooks.',
      () => (derivation?.isLeading ? derivation.height : undefined),
    ],
    webhook_blocks_skipped_total: [
      'Blocks whose webhooks this server has not derived for an application, after three failures.',
      () => derivation?.skipped.count ?? 0,
    ],
    webhook_transactions_unwatched_total: [
      'Pending transactions that are not watched, because their application watches 2,000.',
      () => derivation?.unwatched ?? 0,
    ],
  });
