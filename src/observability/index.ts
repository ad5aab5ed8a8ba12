import type { Logger } from 'pino';
import { type AnyMetric, CounterFamily, durationHistogram } from '../lib/metrics.ts';
import type { OperationObserver, OperationRecord } from '../operation/operation-observer.ts';
import { TRUST_LEVELS, type TrustReport } from '../operation/trust-report.ts';
import type { ObservedRequest, UpstreamObserver } from '../upstream/http-request.ts';
import { MAX_NAME_LENGTH, OperationTracing, observedName, registeredTracer, withTracing } from './tracing.ts';

/** Counts requests to upstreams and JSON-RPC calls by their outcomes, and measures the durations of requests. */
export class UpstreamMetrics implements UpstreamObserver {
  readonly #requests = new CounterFamily({
    name: 'upstream_requests_total',
    help: 'Requests to upstreams over HTTP, retries included, by route and outcome: `ok` or an error code.',
    labelNames: ['upstream', 'route', 'outcome'],
  });
  readonly #durations = durationHistogram(
    'upstream_request_duration_seconds',
    'Time from sending a request to an upstream to its complete response or failure.',
    ['upstream', 'route'],
  );
  readonly #calls = new CounterFamily({
    name: 'node_calls_total',
    help: 'JSON-RPC calls sent over HTTP, retries included, by method and outcome: `ok` or an error code.',
    labelNames: ['method', 'outcome'],
  });

  get metrics(): readonly AnyMetric[] {
    return [this.#requests, this.#durations, this.#calls];
  }

  start({ upstream, route, trace }: ObservedRequest) {
    const startedAt = performance.now();
    return {
      trace,
      end: (outcome: string): void => {
        this.#requests.with(upstream, route, outcome).count += 1;
        this.#durations.observe({ upstream, route }, (performance.now() - startedAt) / 1_000);
      },
    };
  }

  /** The labels contain only methods from the tables of the server, so their number is limited. */
  recordCall(method: string, outcome: string): void {
    this.#calls.with(method, outcome).count += 1;
  }
}

/**
 * Maximum number of operation names in labels: the first operation names that the server has executed. Later names
 * become `other`.
 */
const MAX_OPERATION_NAMES = 200;

/** Number of pairs of a trusted document and an application after which all applications are `other`. */
const MAX_TRUSTED_SERIES = 1_000;

/**
 * Labels for operations without a name, for operations above the limits, and for rejected requests whose operation is
 * unknown.
 */
const ANONYMOUS = 'anonymous';
const OTHER = 'other';
const UNKNOWN = 'unknown';

/**
 * Counts operations by name, type and error code, and measures the durations of operations and of subscription events.
 */
export class OperationMetrics implements OperationObserver {
  readonly #operations = new CounterFamily({
    name: 'operations_total',
    help: 'Operations by name, type, and code of the first error, or `ok`. A subscription counts when it starts.',
    labelNames: ['name', 'type', 'code'],
  });
  readonly #durations = durationHistogram(
    'operation_duration_seconds',
    'Time from the request to the result of executed operations; for a subscription, to its start.',
    ['transport', 'type'],
  );
  readonly #events = new CounterFamily({
    name: 'subscription_events_total',
    help: 'Subscription events executed, counted per group, by the code of the first error, or `ok`.',
    labelNames: ['code'],
  });
  readonly #eventDurations = durationHistogram(
    'subscription_event_duration_seconds',
    'Time to execute one event of a subscription.',
    [],
  );
  readonly #verified = new CounterFamily({
    name: 'verified_operations_total',
    help: 'Operations and events that asked for verification, by the level in `extensions.trust`.',
    labelNames: ['level'],
  });
  readonly #trusted = new CounterFamily({
    name: 'trusted_documents_total',
    help: 'Operations with a trusted document, by its id and by application. A subscription counts when it starts.',
    labelNames: ['document', 'app'],
  });
  readonly #names = new Set<string>();

  constructor() {
    for (const level of TRUST_LEVELS) this.#verified.with(level);
  }

  get metrics(): readonly AnyMetric[] {
    return [this.#operations, this.#durations, this.#events, this.#eventDurations, this.#verified, this.#trusted];
  }

  end({ observed: { origin, definition, operation }, durationMs, codes }: OperationRecord): void {
    const code = codes[0] ?? 'ok';
    const seconds = durationMs / 1_000;
    const trust = operation?.extensions.trust as TrustReport | undefined;
    if (trust) this.#verified.with(trust.level).count += 1;
    if (!origin) {
      this.#events.with(code).count += 1;
      this.#eventDurations.observe(seconds);
      return;
    }
    if (operation?.documentId !== undefined) this.#countTrusted(operation.documentId, origin.app);
    const type = definition?.operation ?? UNKNOWN;
    this.#operations.with(definition ? this.#label(definition.name?.value) : UNKNOWN, type, code).count += 1;
    if (operation) this.#durations.observe({ transport: origin.transport, type }, seconds);
  }

  #countTrusted(document: string, app = ANONYMOUS): void {
    const isFull = this.#trusted.series.length >= MAX_TRUSTED_SERIES;
    this.#trusted.with(document, isFull ? OTHER : app).count += 1;
  }

  #label(name = ANONYMOUS): string {
    if (this.#names.has(name)) return name;
    if (name.length > MAX_NAME_LENGTH || this.#names.size >= MAX_OPERATION_NAMES) return OTHER;
    this.#names.add(name);
    return name;
  }
}

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
      const block = operation?.extensions.block as { readonly number: string } | undefined;
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
          // Undefined for an operation that has read no block.
          block: block && Number(block.number),
          ...(codes.length > 0 && { codes: [...new Set(codes)] }),
          traceId: trace?.traceId,
        },
        origin ? 'operation' : 'event',
      );
    },
  };
}

/** The observers of one server: metrics, the access log at its level, and spans if an OpenTelemetry SDK is registered. */
export function createObservability(log: Logger) {
  const tracer = registeredTracer();
  const operations = new OperationMetrics();
  const accessLog = createAccessLog(log);
  return {
    operationObservers: [operations, ...(tracer ? [new OperationTracing(tracer)] : []), ...(accessLog ? [accessLog] : [])],
    /** Observes the upstreams of one chain. */
    observeUpstreams() {
      const upstreams = new UpstreamMetrics();
      return { upstreamObserver: tracer ? withTracing(upstreams, tracer) : upstreams, metrics: upstreams.metrics };
    },
    metrics: operations.metrics,
  };
}
