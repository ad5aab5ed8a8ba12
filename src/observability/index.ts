import type { Logger } from 'pino';
import type { OperationObserver } from '../graphql/pipeline/operation-observer.ts';
import type { AnyMetric } from '../metrics.ts';
import type { UpstreamObserver } from '../upstream/request-observer.ts';
import { createAccessLog } from './access-log.ts';
import { OperationMetrics } from './operation-metrics.ts';
import { OperationTracing, registeredTracer, withTracing } from './tracing.ts';
import { UpstreamMetrics } from './upstream-metrics.ts';

/** The observers of one server: metrics, the access log at its level, and spans if an OpenTelemetry SDK is registered. */
export interface Observability {
  readonly operationObservers: readonly OperationObserver[];
  readonly upstreamObserver: UpstreamObserver;
  readonly metrics: readonly AnyMetric[];
}

export function createObservability(log: Logger): Observability {
  const tracer = registeredTracer();
  const operations = new OperationMetrics();
  const upstreams = new UpstreamMetrics();
  const accessLog = createAccessLog(log);
  return {
    operationObservers: [operations, ...(tracer ? [new OperationTracing(tracer)] : []), ...(accessLog ? [accessLog] : [])],
    upstreamObserver: tracer ? withTracing(upstreams, tracer) : upstreams,
    metrics: [...operations.metrics, ...upstreams.metrics],
  };
}
