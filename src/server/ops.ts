import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { withTimeout } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import {
  type AnyMetric,
  type ChainMetrics,
  CounterFamily,
  type Metric,
  type MetricsOfChains,
  metricTable,
} from '../lib/metrics.ts';
import { createApp } from './app.ts';
import type { Admission } from './clients/admission.ts';
import type { StalledClients } from './clients/stalled-clients.ts';
import type { ReadinessProbe, ServerContext, ServerOptions } from './context.ts';
import { type ConnectionSource, listen } from './listen.ts';
import { NO_STORE, type Rejection, sendError } from './requests/http-errors.ts';

type MetricSources = Pick<ServerContext, 'connections' | 'clients' | 'groups'> & {
  readonly admission: Admission;
  readonly stalledClients: StalledClients;
};

/** Metrics of the connections, of the connected clients and of their subscriptions. */
export const serverMetrics = ({ connections, admission, stalledClients, clients, groups }: MetricSources): readonly Metric[] =>
  metricTable({
    connections: ['Open connections of all transports.', () => connections.count],
    connections_rejected_total: ['New connections rejected at MAX_CONNECTIONS.', () => admission.rejected],
    unsent_bytes: ['Bytes that wait for clients. Those that clients share count once.', () => stalledClients.unsentBytes],
    stalled_clients_total: ['Clients disconnected because they did not read.', () => stalledClients.disconnected],
    sockets: ['Open WebSockets.', () => clients.count('socket')],
    event_streams: ['Open event streams.', () => clients.count('events')],
    subscriptions: ['Subscriptions of all clients.', () => groups.status.subscribers],
    subscription_groups: ['Open source streams, which equal subscriptions share.', () => groups.status.groups],
    subscription_cost: ['Cost of one event of each group; MAX_SERVER_SUBSCRIPTION_COST limits it.', () => groups.status.cost],
    subscription_lag_seconds: ['Age of the oldest subscription event that is not executed yet.', () => groups.lag.seconds, 'max'],
    subscription_events_waiting: ['Subscription events that are not executed yet, per group.', () => groups.lag.events],
    events_sent_total: ['Subscription events sent, counted per client.', () => groups.status.sent],
    slow_consumers_total: ['Subscriptions ended because the client read events too slowly.', () => groups.status.slow],
  });

/**
 * CPU, memory, garbage collection and event loop of the process, under the names that are common to all programs on
 * Node. One registry for the process, because each registry observes the event loop and the garbage collector
 * separately.
 */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });
// The average of the workers, which is the default, hides one that is blocked.
Object.assign(processMetrics.getSingleMetric('nodejs_eventloop_lag_p99_seconds')!, { aggregator: 'max' });

/** Renders these metrics and the metrics of the process in the Prometheus text format. */
export const createRegistry = (metrics: readonly AnyMetric[]): Registry => Registry.merge([registryOf(metrics), processMetrics]);

function registryOf(metrics: readonly AnyMetric[]): Registry {
  const registry = new Registry();
  const registers = [registry];
  for (const metric of metrics) {
    if (metric instanceof Histogram) registry.registerMetric(metric);
    else if (metric instanceof CounterFamily) registerCounters(registers, metric);
    else if ('chains' in metric) registerChains(registry, metric);
    else registerValue(registers, metric);
  }
  return registry;
}

/** Registers one metric for each name, whose series are those of all chains that have it. */
function registerChains(registry: Registry, { chains }: MetricsOfChains): void {
  const registries = chains.map(({ metrics }) => registryOf(metrics));
  const names = new Set(registries.flatMap((one) => one.getMetricsAsArray().map(({ name }) => name)));
  for (const name of names) {
    const get = async () => {
      const read = await Promise.all(registries.map((one) => one.getSingleMetric(name)?.get()));
      const valuesOf = ({ label }: ChainMetrics, i: number) =>
        (read[i]?.values ?? []).map((value) => ({ ...value, labels: { chain: label(), ...value.labels } }));
      return { ...read.find((metric) => metric), values: chains.flatMap(valuesOf) };
    };
    registry.registerMetric({ name, get } as never);
  }
}

function registerValue(registers: Registry[], { name, help, value, aggregator = 'sum' }: Metric): void {
  const MetricClass = name.endsWith('_total') ? Counter : Gauge;
  new MetricClass({
    name: `grimoire_${name}`,
    help,
    registers,
    aggregator,
    collect() {
      const number = value();
      this.remove();
      if (number !== undefined) this.inc(number);
    },
  });
}

function registerCounters(registers: Registry[], { options: { name, help, labelNames }, series }: CounterFamily): void {
  new Counter({
    name: `grimoire_${name}`,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { labels, counter } of series) this.labels(...labels).inc(counter.count);
    },
  });
}

/** Serves `/metrics` in the Prometheus text format. */
export function registerMetrics(app: FastifyInstance, { contentType, render }: MetricsText): void {
  app.get('/metrics', async (_request, reply) => {
    reply.header('cache-control', NO_STORE).type(contentType);
    return render();
  });
}

/** The metrics in the Prometheus text format. */
type MetricsText = Readonly<{ contentType: string; render: () => Promise<string> }>;

/** Timeout of the readiness check. */
const PROBE_TIMEOUT_MS = 2_000;

const timeoutError = () => new GraphError('TIMEOUT', `The readiness check took longer than ${PROBE_TIMEOUT_MS} ms.`);

/** A balancer that removes a server because of `/readyz` requests it at least this often. */
const MAX_POLL_INTERVAL_MS = 30_000;

/** Whether balancers may route new connections to this server. */
export class Readiness {
  isWithdrawn = false;
  /** The last response of `/readyz`. */
  lastCheck: { readonly ready: 0 | 1; readonly degraded: number } | undefined;
  readonly metrics = metricTable({
    ready: ['Whether the last /readyz was 200: 1 or 0; omitted before the first.', () => this.lastCheck?.ready, 'min'],
    degraded: ['Services that the last /readyz has named as degraded.', () => this.lastCheck?.degraded, 'max'],
  });
  /** Time of the last request of `/readyz`, by `performance.now()`. */
  polledAt = Number.NEGATIVE_INFINITY;

  /** Whether a balancer has requested `/readyz` recently, so that withdrawing the readiness takes effect. */
  get isPolled(): boolean {
    return performance.now() - this.polledAt < MAX_POLL_INTERVAL_MS;
  }
}

/**
 * Serves `/healthz`, which is 200 while the process runs, and `/readyz`, which requests the upstreams: 200 if they respond, 503 with an
 * error code if not or after the readiness has been withdrawn.
 */
export function registerHealth(app: FastifyInstance, probe: ReadinessProbe, readiness: Readiness): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    readiness.polledAt = performance.now();
    reply.header('cache-control', NO_STORE);
    try {
      if (readiness.isWithdrawn) throw new GraphError('SHUTTING_DOWN', 'The server is shutting down.');
      const state = await withTimeout(PROBE_TIMEOUT_MS, probe, timeoutError);
      readiness.lastCheck = { ready: 1, degraded: [state.degraded ?? []].flat().length };
      return { status: 'ready', ...state };
    } catch (error) {
      readiness.lastCheck = { ready: 0, degraded: 0 };
      const { code, message, endpoint } =
        error instanceof GraphError ? error : new GraphError('INTERNAL_SERVER_ERROR', 'The readiness check failed.');
      return reply.code(503).send({ status: 'unavailable', code, message, ...(endpoint && { endpoint }) });
    }
  });
}

export interface OpsServerOptions extends Pick<ServerOptions, 'acceptsHost' | 'log' | 'host' | 'probe'> {
  /** 0 picks a free port. */
  readonly port: number;
  readonly metrics: MetricsText;
  readonly readiness: Readiness;
  /** @default a port of this process */
  readonly listen: ConnectionSource | undefined;
}

const NO_SUCH_PATH: Rejection = [404, 'BAD_REQUEST', 'No such path. This port serves /metrics, /healthz and /readyz.'];

/**
 * Starts a server for monitoring systems, on a separate port, with `/metrics`, `/healthz` and `/readyz`. Rejects with
 * BAD_USER_INPUT when it cannot listen.
 */
export async function startOpsServer({ host, port, metrics, probe, readiness, listen: source, ...options }: OpsServerOptions) {
  const app = createApp({ ...options, sendNotFound: (_request, reply) => sendError(reply, NO_SUCH_PATH) });
  registerHealth(app, probe, readiness);
  registerMetrics(app, metrics);
  const listener = await listen(app, host, port, 'Set METRICS_PORT to a free port.', source);
  return {
    /** URL without a path. */
    url: listener.url,
    async stop(): Promise<void> {
      listener.close();
      // Close open connections, so that a monitoring system that reads slowly does not delay the shutdown.
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
