import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { SubscriptionGroups, type SubscriptionLimits } from '../graphql/subscriptions/groups.ts';
import type { AnyMetric } from '../lib/metrics.ts';
import type { SharedCounts } from '../lib/shared-counts.ts';
import type { HostCheck } from '../lib/urls.ts';
import type { DomainRoute } from '../operation/domain-route.ts';
import { OperationPipeline, type PipelineOptions } from '../operation/pipeline.ts';
import type { ApolloOptions } from './apollo.ts';
import { type CallerSettings, createCallerReader } from './callers/caller-reader.ts';
import { costObserver, createRequestLimits, type RateLimitOptions, type RequestLimits } from './callers/rate-limits.ts';
import { createClientAddressReader, createRouterCheck } from './clients/client-address.ts';
import { ClientRegistry, CONNECTION_TIMING, type ConnectionTiming } from './clients/client-registry.ts';
import { Connections } from './clients/connections.ts';
import type { ConnectionSource } from './listen.ts';
import { RejectionLog } from './requests/http-errors.ts';

/** Checks the upstreams that the server needs. Rejects with the reason when one is unavailable. */
export type ReadinessProbe = (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;

export interface ServerOptions extends Omit<PipelineOptions, 'log'> {
  readonly limits: PipelineOptions['limits'] & SubscriptionLimits;
  readonly host: string;
  readonly port: number;
  /**
   * Port of a separate server for `/metrics` and the health checks; 0 picks a free port. If undefined, `port` serves
   * `/metrics`.
   */
  readonly metricsPort?: number | undefined;
  /** Origins of web pages that may use this server; `<scheme>://<host>:*` allows every port, `*` every origin. */
  readonly corsOrigins: readonly string[];
  /** Checks Host headers. @default accepts every Host */
  readonly acceptsHost?: HostCheck | undefined;
  /** Maximum number of open connections of all transports. */
  readonly maxConnections: number;
  /** Maximum number of bytes that wait for clients. */
  readonly maxUnsentBytes: number;
  /** Maximum number of running operations on one WebSocket. */
  readonly maxSubscriptions: number;
  /** IP addresses and CIDR ranges of the proxies whose header `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Secret of a trusted proxy inside this process. @default no trusted proxy */
  readonly ownProxySecret?: string | undefined;
  /** The settings by which callers identify themselves. @default no credentials */
  readonly callers?: CallerSettings;
  /** Limits of requests and of their cost. @default no limits */
  readonly rateLimits?: RateLimitOptions;
  /** What the processes of a server share. @default this process is the server */
  readonly shared?: SharedServer | undefined;
  /** Additional plugins of Apollo Server. @default no plugins */
  readonly apolloPlugins?: ApolloOptions['plugins'];
  /** HTTP routes of the domains. @default no routes */
  readonly routes?: readonly DomainRoute[];
  /** Timeouts and intervals of connections. @default `CONNECTION_TIMING` */
  readonly timing?: ConnectionTiming;
  readonly probe: ReadinessProbe;
  readonly metrics: readonly AnyMetric[];
  /** JSON documents to serve, by path; only to callers if every operation needs a caller. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

/** The parts of one process's server that the other processes use. */
export interface AttachedServer {
  readonly registry: Registry;
  readonly connections: Pick<Connections, 'closeIdle'>;
}

/** What the processes of a server share: its limits and its metrics. */
export interface SharedServer {
  /** Receives the connections that the processes share. */
  readonly listen: ConnectionSource;
  readonly counts: SharedCounts;
  /** Undefined without limits. */
  readonly requestLimits: RequestLimits | undefined;
  /** Asks the other processes to close an idle connection; resolves with whether one has, when their counts are known. */
  closeIdleElsewhere(): Promise<boolean>;
  /** Renders the metrics of all processes. */
  renderMetrics(): Promise<string>;
  /** Called with the parts of this process's server that the other processes use. */
  attach(server: AttachedServer): void;
}

/** The options of one server and the objects created from them, which the parts of the server share. */
export type ServerContext = ReturnType<typeof createServerContext>;

export function createServerContext(options: ServerOptions) {
  const { host, limits, rateLimits = {}, observers = [], timing = CONNECTION_TIMING, isDropIn = false } = options;
  const shutdown = { isDraining: false, hasEndedOperations: false };
  const isDraining = (): boolean => shutdown.isDraining;
  const { requestLimits = createRequestLimits(rateLimits), counts } = options.shared ?? {};
  const limitObservers = requestLimits ? [costObserver(requestLimits)] : [];
  const pipeline = new OperationPipeline({ ...options, observers: [...observers, ...limitObservers] });
  const groups = new SubscriptionGroups(timing.lingerMs, limits, counts);
  return {
    ...options,
    isDropIn,
    timing,
    shutdown,
    isDraining,
    pipeline,
    groups,
    /** Events in queues and stream buffers that clients share. */
    sharedEvents: groups.queuedEvents,
    clients: new ClientRegistry(timing),
    connections: new Connections(options.maxConnections, counts),
    addressOf: createClientAddressReader(options.trustedProxies, options.ownProxySecret),
    isRouter: createRouterCheck(options.trustedProxies),
    callerOf: createCallerReader({ ...options.callers, host }),
    requestLimits,
    rejections: new RejectionLog(options.log),
  };
}
