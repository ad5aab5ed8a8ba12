import { GraphError } from '../../lib/errors.ts';
import { type Metric, metricTable } from '../../lib/metrics.ts';
import { SOURCE_UNREADY_MS, type SourceHealth } from '../source-health.ts';
import type { Follower } from './follower.ts';

/** Milliseconds without a confirmed head after which the server is not ready. */
export const HEAD_UNREADY_MS = 15_000;

/**
 * Throws if the server is not ready although its node responds: STALE_UPSTREAM if no head has been confirmed for 15 s, or the upstream
 * error of a subscription source that has failed for 30 s.
 */
export function checkSyncReadiness({ status }: Pick<Follower, 'status'>, { failing }: Pick<SourceHealth, 'failing'>): void {
  if ((status.unknownMs ?? 0) > HEAD_UNREADY_MS) {
    throw new GraphError('STALE_UPSTREAM', `No head of the chain has been confirmed for ${seconds(status.unknownMs!)} s.`);
  }
  const failed = failing.find(({ failingMs }) => failingMs > SOURCE_UNREADY_MS);
  if (failed) {
    const message = `The subscription source ${failed.source} has failed for ${seconds(failed.failingMs)} s.`;
    throw new GraphError(failed.error.code, message);
  }
}

const seconds = (ms: number): number => Math.round(ms / 1000);

/** The head as `/readyz` reports it: height or null, age in milliseconds, state and transport of the follower. */
export const headStatus = ({ head, status }: Follower): Record<string, unknown> => ({
  number: head?.number ?? null,
  ageMs: status.headAgeMs ?? null,
  state: status.state,
  transport: status.transport,
});

export const headMetrics = (follower: Follower): readonly Metric[] =>
  // All processes of a server show one follower.
  metricTable(
    {
      head_age_seconds: [
        'Time since the head was received or last confirmed.',
        () => (follower.status.headAgeMs === undefined ? undefined : follower.status.headAgeMs / 1000),
      ],
      head_unknown_seconds: ['Time for which the head has been unknown or stale.', () => (follower.status.unknownMs ?? 0) / 1000],
      heads_unconfirmed_total: ['Announced heads that the node did not confirm.', () => follower.status.unconfirmed],
      head_number: ['Height of the head; omitted while it is unknown.', () => follower.head?.height],
      reorgs_total: ['Chain reorganisations that the follower has applied.', () => follower.status.reorgs],
      gaps_total: ['Head changes with at least one unknown block between the old and the new head.', () => follower.status.gaps],
      node_reconnects_total: ['Reconnections of the WebSocket to the node.', () => follower.status.reconnects],
    },
    'max',
  );
