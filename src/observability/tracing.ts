import {
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { OperationDefinitionNode } from 'graphql';
import { version } from '../lib/package-root.ts';
import type { TraceContext } from '../lib/trace-context.ts';
import type { ObservedOperation, OperationObserver, OperationRecord } from '../operation/operation-observer.ts';
import type { ObservedRequest, UpstreamObserver } from '../upstream/http-request.ts';

/** Maximum length of an operation name in metrics, log lines and spans. A client chooses it, up to the size of a request. */
export const MAX_NAME_LENGTH = 64;

/** Returns the first 64 characters of an operation's name; undefined for an anonymous and for an unknown operation. */
export const observedName = (definition: Pick<OperationDefinitionNode, 'name'> | undefined): string | undefined =>
  definition?.name?.value.slice(0, MAX_NAME_LENGTH);

const TRACER_NAME = 'grimoire';

/** Maximum number of method names in the attributes of a span. */
const MAX_METHODS = 20;

/** Returns the tracer of the OpenTelemetry SDK that is registered in this process; undefined without one, so that tracing costs nothing. */
export function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  // The provider of the API passes spans on to the provider of an SDK, and creates no-op spans without an SDK.
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(TRACER_NAME, version)
    : provider.getTracer(TRACER_NAME, version);
}

/** Creates a span for each operation, and for each event of a subscription. The spans contain no documents and no variables. */
export class OperationTracing implements OperationObserver {
  readonly #tracer: Tracer;
  readonly #spans = new WeakMap<ObservedOperation, Span>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  start(observed: ObservedOperation): void {
    const span = this.#startSpan(observed);
    this.#spans.set(observed, span);
    const budget = observed.operation?.budget;
    if (budget) budget.trace = contextOf(span);
  }

  end({ observed, durationMs, codes }: OperationRecord): void {
    const span = this.#spans.get(observed) ?? this.#startSpan(observed);
    recordOutcome(span, codes[0] ?? 'ok');
    span.end(epochMs(observed.startedAt + durationMs));
  }

  #startSpan({ requestId, origin, definition, startedAt }: ObservedOperation): Span {
    const name = observedName(definition);
    const type = definition?.operation;
    const attributes = {
      ...(type !== undefined && { 'graphql.operation.type': type }),
      ...(name !== undefined && { 'graphql.operation.name': name }),
      'grimoire.request.id': requestId,
      ...(origin && { 'grimoire.transport': origin.transport }),
    };
    const spanName = [type ?? 'GraphQL operation', name, origin ? undefined : 'event'].filter(Boolean).join(' ');
    const options = { kind: origin ? SpanKind.SERVER : SpanKind.INTERNAL, startTime: epochMs(startedAt), attributes };
    return this.#tracer.startSpan(spanName, options, parentContext(origin?.trace, true));
  }
}

/** Adds a span for each request to an upstream, which continues the trace of its operation. The spans contain neither parameters nor ids. */
export function withTracing(observer: UpstreamObserver, tracer: Tracer): UpstreamObserver {
  return {
    start(request) {
      const { end } = observer.start(request);
      const span = startRequestSpan(tracer, request);
      return {
        trace: contextOf(span),
        end(outcome) {
          end(outcome);
          recordOutcome(span, outcome);
          span.end();
        },
      };
    },
    recordCall: (method, outcome) => observer.recordCall(method, outcome),
  };
}

function startRequestSpan(tracer: Tracer, { upstream, label, route, calls, trace: parent }: ObservedRequest): Span {
  const { hostname, port, protocol } = new URL(label);
  const methods = [...new Set(calls?.map(({ method }) => method))].slice(0, MAX_METHODS);
  const attributes = {
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'grimoire.upstream': upstream,
    ...(calls
      ? { 'rpc.system': 'jsonrpc', 'rpc.method': methods.join(' '), 'rpc.batch.size': calls.length }
      : { 'url.template': route }),
  };
  const batchName = methods.length === 1 ? methods[0]! : 'JSON-RPC batch';
  const options = { kind: SpanKind.CLIENT, attributes };
  return tracer.startSpan(calls ? batchName : route, options, parentContext(parent, false));
}

function recordOutcome(span: Span, outcome: string): void {
  if (outcome === 'ok') return;
  span.setAttribute('error.type', outcome);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const epochMs = (performanceMs: number): number => performance.timeOrigin + performanceMs;

function contextOf(span: Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return { traceId, spanId, traceFlags, traceState: traceState?.serialize() || undefined };
}

function parentContext(parent: TraceContext | undefined, isRemote: boolean) {
  if (!parent) return ROOT_CONTEXT;
  const { traceState, ...ids } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...ids,
    isRemote,
    ...(traceState !== undefined && { traceState: createTraceState(traceState) }),
  });
}
