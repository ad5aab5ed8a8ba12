import type { Logger } from 'pino';
import type { OperationObserver } from '../operation/operation-observer.ts';
import { OperationMetrics, observedName, UpstreamMetrics } from './operation-metrics.ts';
import { OperationTracing, registeredTracer, withTracing } from './tracing.ts';

/** Level of the access log. */
const LEVEL = 'debug';

/**
 * Creates the access log: one line for each operation and each event of a subscription. It contains neither documents, variables and headers
 * nor addresses. Undefined when the log omits lines of its level.
 */
function createAccessLog(log: Logger): OperationObserver | undefined {
  if (!log.isLevelEnabled(LEVEL)) return undefined;
  return {
    end({ observed, durationMs, codes, responseBytes }) {
      const { requestId, origin, definition, operation } = observed;
      const { requests = 0, calls = 0, trace = origin?.trace } = operation?.budget ?? {};
      log[LEVEL](
        {
          requestId,
          name: observedName(definition),
          type: definition?.operation,
          transport: origin?.transport,
          durationMs: Math.round(durationMs * 1_000) / 1_000,
          upstreamRequests: requests,
          upstreamCalls: calls,
          responseBytes,
          block: heightOf(operation?.extensions.block),
          ...(codes.length > 0 && { codes: [...new Set(codes)] }),
          traceId: trace?.traceId,
        },
        origin ? 'operation' : 'event',
      );
    },
  };
}

/** The height of `extensions.block`; undefined for an operation that has read no block. */
const heightOf = (block: unknown): number | undefined => {
  const { number } = (block ?? {}) as { readonly number?: unknown };
  return typeof number === 'string' && number.startsWith('0x') ? Number(number) : undefined;
};

/** The observers of one server: metrics, the access log at its level, and spans if an OpenTelemetry SDK is registered. */
export function createObservability(log: Logger) {
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
