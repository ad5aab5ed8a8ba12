import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import type { SubscriptionGroups } from '../../graphql/subscriptions/groups.ts';
import type { Metric } from '../../metrics.ts';
import type { ClientRegistry } from '../client-registry.ts';

/** What can be watched of who is connected, and of what they listen to. */
export const subscriptionMetrics = (clients: ClientRegistry, groups: SubscriptionGroups): readonly Metric[] => [
  { name: 'sockets', help: 'WebSockets that are open.', kind: 'gauge', value: () => clients.count('socket') },
  { name: 'event_streams', help: 'Answers that are streams of events.', kind: 'gauge', value: () => clients.count('events') },
  { name: 'subscriptions', help: 'Subscriptions of all clients.', kind: 'gauge', value: () => groups.status.subscribers },
  {
    name: 'subscription_groups',
    help: 'Streams that are open: equal subscriptions share one, executed once an event.',
    kind: 'gauge',
    value: () => groups.status.groups,
  },
  {
    name: 'events_sent_total',
    help: 'Events of subscriptions that were sent, each client counted.',
    kind: 'counter',
    value: () => groups.status.sent,
  },
  {
    name: 'slow_consumers_total',
    help: 'Subscriptions that were ended because events came faster than they were read.',
    kind: 'counter',
    value: () => groups.status.slow,
  },
];

/** `/metrics` in the text format of Prometheus. */
export function registerMetrics(app: FastifyInstance, metrics: readonly Metric[]): void {
  const registry = new Registry();
  for (const { name, help, kind, value } of metrics) {
    const options = { name: `grimoire_${name}`, help, registers: [registry] };
    const read = (set: (number: number) => void, forget: () => void): void => {
      const number = value();
      forget();
      if (number !== undefined) set(number);
    };
    if (kind === 'gauge')
      new Gauge({
        ...options,
        collect() {
          read(
            (number) => this.set(number),
            () => this.remove(),
          );
        },
      });
    else
      new Counter({
        ...options,
        collect() {
          read(
            (number) => this.inc(number),
            () => this.remove(),
          );
        },
      });
  }
  app.get('/metrics', async (_request, reply) => {
    reply.header('cache-control', 'no-store').type(registry.contentType);
    return registry.metrics();
  });
}
