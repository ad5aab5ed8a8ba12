import type { Logger } from 'pino';
import { SubscriptionGroups, type SubscriptionLimits } from '../graphql/subscriptions/groups.ts';
import type { AnyMetric } from '../lib/metrics.ts';
import type { HostCheck } from '../lib/urls.ts';
import type { DomainRoute } from '../operation/domain-route.ts';
import { OperationPipeline, type PipelineOptions } from '../operation/pipeline.ts';
import type { ApolloOptions } from './apollo.ts';
import { type CallerSettings, createCallerReader } from './callers/caller-reader.ts';
import { createRequestLimits, type RateLimitOptions } from './callers/rate-limits.ts';
import { createClientAddressReader } from './clients/client-address.ts';
import { ClientRegistry, CONNECTION_TIMING, type ConnectionTiming } from './clients/client-registry.ts';
import { Connections } from './clients/connections.ts';

/** Checks the upstreams that the server needs. Rejects with the reason when one is unavailable. */
export type ReadinessProbe = (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;

export interface ServerOptions extends Omit<PipelineOptions, 'log'> {
  readonly limits: PipelineOptions['limits'] & SubscriptionLimits;
  readonly host: string;
  readonly port: number;
  /** Port of a server of its own for `/metrics` and the health checks; 0 picks a free one. Without it `port` serves `/metrics`. */
  readonly metricsPort?: number | undefined;
  /** Origins of web pages that may use this server; `<scheme>://<host>:*` allows every port, `*` every origin. */
  readonly corsOrigins: readonly string[];
  /** Checks Host headers; undefined accepts every Host. */
  readonly acceptsHost?: HostCheck | undefined;
  /** Maximum number of open connections of all transports. */
  readonly maxConnections: number;
  /** Maximum number of bytes that wait for clients. */
  readonly maxUnsentBytes: number;
  /** Maximum number of running operations on one WebSocket. */
  readonly maxSubscriptions: number;
  /** IP addresses and CIDR ranges of the proxies whose header `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
  /** Secret of a trusted proxy inside this process; none if undefined. */
  readonly ownProxySecret?: string | undefined;
  /** How callers identify themselves; without credentials if undefined. */
  readonly callers?: CallerSettings;
  readonly rateLimits?: RateLimitOptions;
  /** More plugins of Apollo Server. */
  readonly apolloPlugins?: ApolloOptions['plugins'];
  /** HTTP routes of the domains. */
  readonly routes?: readonly DomainRoute[];
  readonly timing?: ConnectionTiming;
  readonly probe: ReadinessProbe;
  readonly metrics: readonly AnyMetric[];
  /** JSON documents to serve, by path; to callers alone if every operation needs one. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

/** What the parts of one server share: its options, and the objects that are created from them. */
export type ServerContext = ReturnType<typeof createServerContext>;

export function createServerContext(options: ServerOptions) {
  const { host, limits, rateLimits = {}, observers = [], timing = CONNECTION_TIMING, isDropIn = false } = options;
  const shutdown = { isDraining: false, hasEndedOperations: false };
  const isDraining = (): boolean => shutdown.isDraining;
  const requestLimits = createRequestLimits(rateLimits);
  const limitObservers = requestLimits ? [requestLimits.observer] : [];
  const pipeline = new OperationPipeline({ ...options, observers: [...observers, ...limitObservers] });
  const groups = new SubscriptionGroups(timing.lingerMs, limits);
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
    connections: new Connections(options.maxConnections),
    addressOf: createClientAddressReader(options.trustedProxies, options.ownProxySecret),
    callerOf: createCallerReader({ ...options.callers, host }),
    requestLimits,
  };
}
