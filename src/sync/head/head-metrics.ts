import type { Metric } from '../../lib/metrics.ts';
import type { Follower } from './follower.ts';

/** The head as `/readyz` reports it: height or null, age in milliseconds, state and transport of the follower. */
export const headStatus = ({ head, status }: Follower): Record<string, unknown> => ({
  number: head?.number ?? null,
  ageMs: status.headAgeMs ?? null,
  state: status.state,
  transport: status.transport,
});

export const headMetrics = (follower: Follower): readonly Metric[] => [
  {
    name: 'head_age_seconds',
    help: 'Time since the head was received or last confirmed.',
    kind: 'gauge',
    value: () => (follower.status.headAgeMs === undefined ? undefined : follower.status.headAgeMs / 1000),
  },
  {
    name: 'head_unknown_seconds',
    help: 'Time for which the head has been unknown or unconfirmed; 0 while it is known.',
    kind: 'gauge',
    value: () => (follower.status.unknownMs ?? 0) / 1000,
  },
  {
    name: 'heads_unconfirmed_total',
    help: 'Heads that the node announced but did not confirm, which were ignored.',
    kind: 'counter',
    value: () => follower.status.unconfirmed,
  },
  {
    name: 'head_number',
    help: 'Height of the head; omitted while it is unknown.',
    kind: 'gauge',
    value: () => follower.head?.height,
  },
  {
    name: 'reorgs_total',
    help: 'Chain reorganisations that the follower has applied.',
    kind: 'counter',
    value: () => follower.status.reorgs,
  },
  {
    name: 'gaps_total',
    help: 'Head changes with at least one unknown block between the old and the new head.',
    kind: 'counter',
    value: () => follower.status.gaps,
  },
  {
    name: 'node_reconnects_total',
    help: 'Reconnections of the WebSocket to the node.',
    kind: 'counter',
    value: () => follower.status.reconnects,
  },
];
