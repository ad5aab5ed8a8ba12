import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client';
import type { SubscriptionGroups } from '../../graphql/subscriptions/groups.ts';
import {
  type AnyMetric,
  type CounterFamily,
  DURATION_BUCKETS,
  type DurationHistogram,
  type HistogramFamily,
  type Metric,
} from '../../lib/metrics.ts';
import type { Admission } from '../clients/admission.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Connections } from '../clients/connections.ts';
import type { StalledClients } from '../clients/stalled-clients.ts';
import { NO_STORE } from '../requests/http-cache.ts';

/** Metrics of the connections of all transports. */
export const connectionMetrics = (
  connections: Connections,
  admission: Admission,
  stalledClients: StalledClients,
): readonly Metric[] => [
  { name: 'connections', help: 'Open connections of all transports.', kind: 'gauge', value: () => connections.count },
  {
    name: 'connections_rejected_total',
    help: 'New connections rejected at MAX_CONNECTIONS.',
    kind: 'counter',
    value: () => admission.rejected,
  },
  {
    name: 'unsent_bytes',
    help: 'Bytes that wait for clients. Those that clients share count once.',
    kind: 'gauge',
    value: () => stalledClients.unsentBytes,
  },
  {
    name: 'stalled_clients_total',
    help: 'Clients disconnected because they did not read, or because of MAX_UNSENT_BYTES.',
    kind: 'counter',
    value: () => stalledClients.disconnected,
  },
];

/** Metrics of connected clients and their subscriptions. */
export const subscriptionMetrics = (clients: ClientRegistry, groups: SubscriptionGroups): readonly Metric[] => [
  { name: 'sockets', help: 'Open WebSockets.', kind: 'gauge', value: () => clients.count('socket') },
  { name: 'event_streams', help: 'Open event streams.', kind: 'gauge', value: () => clients.count('events') },
  { name: 'subscriptions', help: 'Subscriptions of all clients.', kind: 'gauge', value: () => groups.status.subscribers },
  {
    name: 'subscription_groups',
    help: 'Open source streams. Equal subscriptions share one, and execute once per event.',
    kind: 'gauge',
    value: () => groups.status.groups,
  },
  {
    name: 'subscription_cost',
    help: 'Cost of one event of each group that has subscribers, in the unit of MAX_COST; MAX_SERVER_SUBSCRIPTION_COST limits it.',
    kind: 'gauge',
    value: () => groups.status.cost,
  },
  {
    name: 'subscription_lag_seconds',
    help: 'Seconds since the arrival of the oldest subscription event that is not executed yet; 0 without one.',
    kind: 'gauge',
    value: () => groups.lag.seconds,
  },
  {
    name: 'subscription_events_waiting',
    help: 'Subscription events that have arrived and are not executed yet, counted per group.',
    kind: 'gauge',
    value: () => groups.lag.events,
  },
  {
    name: 'events_sent_total',
    help: 'Subscription events sent, counted per client.',
    kind: 'counter',
    value: () => groups.status.sent,
  },
  {
    name: 'slow_consumers_total',
    help: 'Subscriptions ended because the client read events too slowly.',
    kind: 'counter',
    value: () => groups.status.slow,
  },
];

/** CPU, memory, garbage collection and event loop of the process, under the names that are common to all programs on Node. */
let processMetrics: Registry | undefined;

/** Created once in a process, because each registry would observe the event loop and the garbage collector on its own. */
function processRegistry(): Registry {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

/** Renders metrics and those of the process in the Prometheus text format. */
export function createRegistry(metrics: readonly AnyMetric[]): Registry {
  const registry = new Registry();
  for (const metric of metrics) {
    if ('series' in metric) registerFamily(registry, metric);
    else registerValue(registry, metric);
  }
  return Registry.merge([registry, processRegistry()]);
}

function registerValue(registry: Registry, { name, help, kind, value }: Metric): void {
  const options = { name: `grimoire_${name}`, help, registers: [registry] };
  const read = (set: (number: number) => void, clear: () => void): void => {
    const number = value();
    clear();
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

/** One line of a scrape, as prom-client renders it. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name of the family unless set. */
  readonly metricName?: string;
}

/** Registers a family of counters or histograms. */
function registerFamily(registry: Registry, family: CounterFamily | HistogramFamily): void {
  const name = `grimoire_${family.name}`;
  const { help, kind: type } = family;
  const get = async () => ({ name, help, type, aggregator: 'sum', values: samplesOf(family, name) });
  // The registry uses only the name and `get` of a metric.
  registry.registerMetric({ name, get } as unknown as Histogram);
}

function samplesOf(family: CounterFamily | HistogramFamily, name: string): Sample[] {
  const labelsOf = (values: readonly string[]) => Object.fromEntries(family.labelNames.map((label, i) => [label, values[i]!]));
  return family.kind === 'counter'
    ? [...family.series].map(({ labels, value }) => ({ labels: labelsOf(labels), value: value.count }))
    : [...family.series].flatMap(({ labels, value }) => histogramSamples(name, labelsOf(labels), value));
}

function histogramSamples(name: string, labels: Sample['labels'], { counts, sumSeconds }: DurationHistogram): Sample[] {
  let count = 0;
  const buckets = counts.map((inBucket, i) => {
    count += inBucket;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: DURATION_BUCKETS[i] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Serves `/metrics` in the Prometheus text format. */
export function registerMetrics(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', async (_request, reply) => {
    reply.header('cache-control', NO_STORE).type(registry.contentType);
    return registry.metrics();
  });
}
